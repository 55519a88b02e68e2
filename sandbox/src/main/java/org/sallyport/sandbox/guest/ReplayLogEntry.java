package org.sallyport.sandbox.guest;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a replay log, for one or more similar events. As text: {@code 17*3} is a time 17 ms after the previous
 * one, read three times; {@code t4-6@2} are timers 4 to 6, fired when two calls had been answered; {@code t4@2*5} is
 * timer 4, fired five times at that point.
 *
 * @param isTimer whether the events are fired timers; else clock readings
 * @param first milliseconds, or the id of the first timer
 * @param last id of the last timer; else equal to {@code first}
 * @param replyCount calls that had been answered
 * @param repeatCount number of repetitions, when {@code first} equals {@code last}
 */
record ReplayLogEntry(boolean isTimer, long first, long last, long replyCount, long repeatCount) {

    static ReplayLogEntry time(long later) {
        return new ReplayLogEntry(false, later, later, 0, 1);
    }

    static ReplayLogEntry timer(long id, long replies) {
        return new ReplayLogEntry(true, id, id, replies, 1);
    }

    /**
     * @throws IllegalArgumentException if the text is not an entry
     */
    static ReplayLogEntry parse(String text) {
        int star = text.indexOf('*');
        long times = star < 0 ? 1 : Long.parseLong(text.substring(star + 1));
        String what = star < 0 ? text : text.substring(0, star);
        if (!what.startsWith("t")) {
            long later = Long.parseLong(what);
            return new ReplayLogEntry(false, later, later, 0, times);
        }
        int at = what.indexOf('@');
        int dash = what.indexOf('-');
        if (at < 0) {
            throw new IllegalArgumentException("timer entry without its position");
        }
        long first = Long.parseLong(what.substring(1, dash < 0 ? at : dash));
        long last = dash < 0 ? first : Long.parseLong(what.substring(dash + 1, at));
        return new ReplayLogEntry(true, first, last, Long.parseLong(what.substring(at + 1)), times);
    }

    /** Returns the number of events in this entry. */
    long eventCount() {
        return last - first + repeatCount;
    }

    /** Returns the id of the timer that fired at {@code index}, from 0. */
    int timerId(long index) {
        return Math.toIntExact(last > first ? first + index : first);
    }

    /** Merges this entry and the next one; returns null when they cannot be merged. */
    @Nullable ReplayLogEntry mergeWith(ReplayLogEntry next) {
        if (isTimer != next.isTimer || replyCount != next.replyCount) {
            return null;
        } else if (!isTimer) {
            return next.first == 0 ? new ReplayLogEntry(false, first, last, 0, repeatCount + 1) : null;
        } else if (next.first == last + 1 && repeatCount == 1) {
            return new ReplayLogEntry(true, first, next.first, replyCount, 1);
        }
        return next.first == last && first == last
                ? new ReplayLogEntry(true, first, last, replyCount, repeatCount + 1)
                : null;
    }

    @Override
    public String toString() {
        String what =
                isTimer ? "t" + first + (last > first ? "-" + last : "") + "@" + replyCount : Long.toString(first);
        return repeatCount > 1 ? what + "*" + repeatCount : what;
    }
}
