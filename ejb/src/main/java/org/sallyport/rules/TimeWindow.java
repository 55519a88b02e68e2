package org.sallyport.rules;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Set;

/**
 * Times of the week.
 *
 * @param from the first moment of a day
 * @param until the first moment after; before {@code from} for a time that passes midnight, which belongs to the day it began on
 * @param days on which
 * @param zone whose clocks
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
