package org.sallyport.policyengine;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Set;

/**
 * A weekly time window.
 *
 * @param from start time, inclusive
 * @param until end time, exclusive; before {@code from} for a window past midnight, which belongs to the day on which
 *     it starts
 * @param days days of the week
 * @param zone time zone
 */
record TimeWindow(LocalTime from, LocalTime until, Set<DayOfWeek> days, ZoneId zone) {
    TimeWindow {
        days = Set.copyOf(days);
    }

    boolean contains(Instant now) {
        ZonedDateTime there = now.atZone(zone);
        LocalTime time = there.toLocalTime();
        DayOfWeek today = there.getDayOfWeek();
        if (from.isBefore(until)) {
            return days.contains(today) && !time.isBefore(from) && time.isBefore(until);
        }
        return !time.isBefore(from) && days.contains(today) || time.isBefore(until) && days.contains(today.minus(1));
    }
}
