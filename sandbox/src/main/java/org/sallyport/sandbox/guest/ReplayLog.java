package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.ReplayState;

/**
 * The inputs of a script besides replies: clock readings and timers. They are first replayed from earlier runs, then
 * logged for later runs as {@link ReplayLogEntry}s, each followed by a space. Thread-safe.
 */
final class ReplayLog {
    /** The entries of one kind that are still to be replayed. */
    private static final class ReplayLogCursor {
        private final Deque<ReplayLogEntry> entries = new ArrayDeque<>();
        private long index;

        void advance() {
            ReplayLogEntry note = entries.element();
            if (++index == note.eventCount()) {
                entries.remove();
                index = 0;
            }
        }
    }

    /** Upper bound of the length of one entry. */
    private static final int MAX_ENTRY_LENGTH = 100;
    /** A timer that fires this long after the last report causes a report, at first. */
    private static final long MIN_REPORT_DISTANCE_MILLIS = 1_000;
    /**
     * Lengthens the distance with each such report. A report ends an entry, and a script that lasts a day would
     * otherwise fill the log with entries that differ in nothing but their time. So it makes some 4,000 of them, and
     * the last ones are 40 seconds apart.
     */
    private static final long REPORT_DISTANCE_GROWTH_MILLIS = 10;

    private final LongSupplier clock;
    private final long repliesToReplay;
    private final ReplayLogCursor times = new ReplayLogCursor();
    private final ReplayLogCursor timers = new ReplayLogCursor();
    private long currentMillis;
    private long lastLoggedMillis;
    private long replyCount;
    private int logChars;
    private boolean reportDue;
    private long reportedMillis;
    private long reportDistanceMillis = MIN_REPORT_DISTANCE_MILLIS;
    private final StringBuilder unreported = new StringBuilder();
    private @Nullable ReplayLogEntry openEntry;

    /**
     * @param clock milliseconds since 1970
     * @throws IllegalArgumentException if the log of {@code past} is malformed
     */
    ReplayLog(ReplayState past, LongSupplier clock) {
        this.clock = clock;
        reportedMillis = clock.getAsLong();
        repliesToReplay = past.replyCount();
        String log = past.log();
        logChars = log.length();
        for (int at = 0, blank; at < logChars; at = blank + 1) {
            blank = log.indexOf(' ', at);
            ReplayLogEntry note = ReplayLogEntry.parse(log.substring(at, blank < 0 ? at : blank));
            (note.isTimer() ? timers : times).entries.add(note);
            lastLoggedMillis += note.isTimer() ? 0 : note.first();
        }
    }

    /** Returns the script's time in milliseconds: first the replayed times, then the clock; never goes back. */
    synchronized long now() {
        ReplayLogEntry note = times.entries.peek();
        if (note != null) {
            currentMillis += times.index == 0 ? note.first() : 0;
            times.advance();
            return currentMillis;
        }
        currentMillis = Math.max(currentMillis, clock.getAsLong());
        append(ReplayLogEntry.time(currentMillis - lastLoggedMillis));
        lastLoggedMillis = currentMillis;
        return currentMillis;
    }

    /**
     * Like {@link #now}, for the start of a long wait. Nothing may happen until the end of the wait, so that a new time
     * is to be reported without an event that depends on it.
     */
    synchronized long startOfWait() {
        reportDue |= times.entries.isEmpty();
        return now();
    }

    /** Returns whether the log is to be reported although no event depends on it. */
    synchronized boolean isReportDue() {
        return reportDue;
    }

    /** Returns the time of the clock without logging it; the script does not see it. */
    long clockMillis() {
        return clock.getAsLong();
    }

    /** Counts an answered call. */
    synchronized void replyReceived() {
        replyCount++;
    }

    /** Returns whether the replay is not over. */
    synchronized boolean isReplaying() {
        return replyCount < repliesToReplay || !timers.entries.isEmpty();
    }

    /** Returns the timer that fired at this point of the replay, or empty. */
    synchronized OptionalInt dueTimer() {
        ReplayLogEntry note = timers.entries.peek();
        return note != null && note.replyCount() <= replyCount
                ? OptionalInt.of(note.timerId(timers.index))
                : OptionalInt.empty();
    }

    /** Records a fired timer: the one that was due in the replay, or a new one. */
    synchronized void timerFired(int id) {
        if (timers.entries.isEmpty()) {
            append(ReplayLogEntry.timer(id, replyCount));
            // Without this, a replay would repeat many short waits, or all periods of a repeated timer.
            if (!reportDue && clock.getAsLong() - reportedMillis >= reportDistanceMillis) {
                reportDue = true;
                reportDistanceMillis += REPORT_DISTANCE_GROWTH_MILLIS;
            }
        } else {
            timers.advance();
        }
    }

    private void append(ReplayLogEntry next) {
        ReplayLogEntry last = openEntry;
        ReplayLogEntry both = last == null ? null : last.mergeWith(next);
        if (both == null) {
            closeEntry();
        }
        openEntry = both == null ? next : both;
    }

    private void closeEntry() {
        ReplayLogEntry last = openEntry;
        if (last != null) {
            String text = last + " ";
            logChars += text.length();
            unreported.append(text);
            openEntry = null;
        }
    }

    /** Returns whether the log has no room for another entry. */
    synchronized boolean isFull() {
        return logChars > ReplayState.MAX_LOG_CHARS - MAX_ENTRY_LENGTH;
    }

    /** Returns the entries logged since the last call. */
    synchronized String drain() {
        closeEntry();
        reportDue = false;
        reportedMillis = clock.getAsLong();
        String text = unreported.toString();
        unreported.setLength(0);
        return text;
    }
}
