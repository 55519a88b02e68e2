package org.sallyport.sandbox.guest;

import org.jspecify.annotations.Nullable;

/**
 * One note of a run's log, for a thing that may repeat itself. As text: {@code 17*3} is a time 17 ms after the one before,
 * read three times; {@code t4-6@2} are timers 4 to 6, fired when two calls had been answered; {@code t4@2*5} is timer 4,
 * fired five times then.
 *
 * @param timer whether it tells of timers; else of times
 * @param first milliseconds, or the id of the first timer
 * @param last id of the last timer; else as {@code first}
 * @param replies calls that had been answered
 * @param times how often, where {@code first} is {@code last}
 */
record LogNote(boolean timer, long first, long last, long replies, long times) {

    static LogNote time(long later) {
        return new LogNote(false, later, later, 0, 1);
    }

    static LogNote timer(long id, long replies) {
        return new LogNote(true, id, id, replies, 1);
    }

    /** @throws IllegalArgumentException if it is none */
    static LogNote read(String text) {
        int star = text.indexOf('*');
        long times = star < 0 ? 1 : Long.parseLong(text.substring(star + 1));
        String what = star < 0 ? text : text.substring(0, star);
        if (!what.startsWith("t")) {
            long later = Long.parseLong(what);
            return new LogNote(false, later, later, 0, times);
        }
        int at = what.indexOf('@');
        int dash = what.indexOf('-');
        if (at < 0) {
            throw new IllegalArgumentException("a timer without its place");
        }
        long first = Long.parseLong(what.substring(1, dash < 0 ? at : dash));
        long last = dash < 0 ? first : Long.parseLong(what.substring(dash + 1, at));
        return new LogNote(true, first, last, Long.parseLong(what.substring(at + 1)), times);
    }

    /** How many things it tells of. */
    long count() {
        return last - first + times;
    }

    /** The id of the timer that fired as the {@code index}th, from 0. */
    int id(long index) {
        return Math.toIntExact(last > first ? first + index : first);
    }

    /** This and what comes after it as one; null when they are two. */
    @Nullable LogNote with(LogNote next) {
        if (timer != next.timer || replies != next.replies) {
            return null;
        } else if (!timer) {
            return next.first == 0 ? new LogNote(false, first, last, 0, times + 1) : null;
        } else if (next.first == last + 1 && times == 1) {
            return new LogNote(true, first, next.first, replies, 1);
        }
        return next.first == last && first == last ? new LogNote(true, first, last, replies, times + 1) : null;
    }

    @Override
    public String toString() {
        String what = timer ? "t" + first + (last > first ? "-" + last : "") + "@" + replies : Long.toString(first);
        return times > 1 ? what + "*" + times : what;
    }
}
