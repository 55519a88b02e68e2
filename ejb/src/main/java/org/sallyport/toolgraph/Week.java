package org.sallyport.toolgraph;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Seven days from a Monday, by UTC: what is learned together and forgotten together. */
public final class Week {
    private static final int DAYS = 7;
    /** The first day of 1970 was a Thursday. */
    private static final int SHIFT = 3;

    private Week() {}

    /** The number of the week of {@code moment}; one more for each later week. */
    public static int of(Instant moment) {
        return (int) Math.floorDiv(moment.atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay() + SHIFT, DAYS);
    }

    /** When the week of that number begins. */
    public static Instant start(int week) {
        return LocalDate.ofEpochDay((long) week * DAYS - SHIFT)
                .atStartOfDay(ZoneOffset.UTC)
                .toInstant();
    }
}
