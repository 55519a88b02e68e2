package org.sallyport.toolgraph;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Seven days from a Monday, by UTC: what is learned together and forgotten together. */
public final class WeekBucket {
    private static final int DAYS_PER_WEEK = 7;
    /** The first day of 1970 was a Thursday. */
    private static final int EPOCH_SHIFT_DAYS = 3;

    private WeekBucket() {}

    /** The number of the week of {@code moment}; one more for each later week. */
    public static int of(Instant moment) {
        return (int) Math.floorDiv(
                moment.atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay() + EPOCH_SHIFT_DAYS, DAYS_PER_WEEK);
    }

    /** When the week of that number begins. */
    public static Instant startOf(int week) {
        return LocalDate.ofEpochDay((long) week * DAYS_PER_WEEK - EPOCH_SHIFT_DAYS)
                .atStartOfDay(ZoneOffset.UTC)
                .toInstant();
    }
}
