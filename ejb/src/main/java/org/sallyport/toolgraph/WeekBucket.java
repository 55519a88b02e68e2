package org.sallyport.toolgraph;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** A week from Monday, by UTC: the unit of aggregation and deletion. */
public final class WeekBucket {
    private static final int DAYS_PER_WEEK = 7;
    /** 1970-01-01 was a Thursday. */
    private static final int EPOCH_SHIFT_DAYS = 3;

    private WeekBucket() {}

    /** Returns the number of the week of {@code moment}; consecutive weeks have consecutive numbers. */
    public static int of(Instant moment) {
        return (int) Math.floorDiv(
                moment.atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay() + EPOCH_SHIFT_DAYS, DAYS_PER_WEEK);
    }

    /** Returns the start of the week of that number. */
    public static Instant startOf(int week) {
        return LocalDate.ofEpochDay((long) week * DAYS_PER_WEEK - EPOCH_SHIFT_DAYS)
                .atStartOfDay(ZoneOffset.UTC)
                .toInstant();
    }
}
