package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Limits of batches. */
public final class BatchSettings {
    public static final Setting<Long> MAX_ITEMS =
            Setting.number("sallyport.batch.items", 1, 100_000, 10_000, "Items that one batch may have.");
    public static final Setting<Long> MAX_BODY_BYTES = Setting.number(
            "sallyport.batch.body-bytes",
            1_024,
            1L << 40,
            256L << 20,
            "Largest body of a batch, in bytes; each item may be as large as `sallyport.limits.max-body-bytes`.");
    public static final Setting<Long> MAX_SPOOLED_BYTES = Setting.number(
            "sallyport.batch.spooled-bytes",
            2_048,
            1L << 41,
            1L << 30,
            "Disk space of each node for bodies of batches that are being read, in bytes; one tenant may have half.");
    public static final Setting<Long> DEFAULT_PARALLELISM = Setting.number(
            "sallyport.batch.default-parallelism",
            1,
            10_000,
            16,
            "Executions that run at one time in a batch that stops at its first failure and asks for no other number.");

    public static final Setting<Long> MAX_SHARED_READS_BYTES = Setting.number(
            "sallyport.batch.shared-reads-bytes",
            0,
            1L << 40,
            64L << 20,
            "Memory of each node for results that batches with `shareReads` share, in bytes; when it is full, the"
                    + " oldest results of the largest batch are evicted.");
    public static final Setting<Duration> MAX_SHARED_READS_AGE = Setting.millis(
            "sallyport.batch.shared-reads-millis",
            0,
            Duration.ofDays(1).toMillis(),
            Duration.ofMinutes(5).toMillis(),
            "How long a result that a batch with `shareReads` has read is reused within the batch.");

    static final List<Setting<?>> ALL = List.of(
            MAX_ITEMS,
            MAX_BODY_BYTES,
            MAX_SPOOLED_BYTES,
            DEFAULT_PARALLELISM,
            MAX_SHARED_READS_BYTES,
            MAX_SHARED_READS_AGE);

    private BatchSettings() {}
}
