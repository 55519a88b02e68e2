package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Limits of schedules. */
public final class ScheduleSettings {
    private static final long DAY = 86_400_000;

    public static final Setting<Long> MAX_PER_TENANT = Setting.number(
            "sallyport.schedules.max-per-tenant", 0, 1_000_000, 1_000, "Schedules that one tenant may have.");
    public static final Setting<Duration> MIN_INTERVAL = Setting.millis(
            "sallyport.schedules.min-interval-millis",
            1_000,
            DAY,
            10_000,
            "Minimum interval between two times of a schedule; a schedule with a shorter one is refused.");
    public static final Setting<Duration> MISFIRE_THRESHOLD = Setting.millis(
            "sallyport.schedules.misfire-threshold-millis",
            1_000,
            DAY,
            60_000,
            "How late a node may start a run of a schedule that skips missed times.");
    public static final Setting<Long> MAX_MISFIRES = Setting.number(
            "sallyport.schedules.max-misfires",
            1,
            10_000,
            100,
            "Maximum number of missed times that a schedule makes up for when it is to make up for all; the latest"
                    + " ones are run.");

    public static final Setting<Long> MAX_ROWS_BYTES = Setting.number(
            "sallyport.schedules.max-rows-bytes",
            1_024,
            1L << 30,
            16L << 20,
            "Largest file of rows that a schedule may have, in bytes; the number of rows has the limit of a batch.");

    public static final Setting<Long> MAX_ROWS_BYTES_PER_TENANT = Setting.number(
            "sallyport.schedules.max-rows-bytes-per-tenant",
            0,
            1L << 50,
            1L << 30,
            "Bytes that the files of rows of all schedules of one tenant may have together.");

    static final List<Setting<?>> ALL = List.of(
            MAX_PER_TENANT, MIN_INTERVAL, MISFIRE_THRESHOLD, MAX_MISFIRES, MAX_ROWS_BYTES, MAX_ROWS_BYTES_PER_TENANT);

    private ScheduleSettings() {}
}
