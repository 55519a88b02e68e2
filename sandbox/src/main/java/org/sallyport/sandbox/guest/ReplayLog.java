package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.ReplayState;

/**
 * What a script hears beside answers, times and timers: repeated from its past, then noted for its future as {@link
 * ReplayLogEntry}s, each with a blank behind it. Thread-safe.
 */
final class ReplayLog {
    /** Notes of the past, of one kind. */
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

    /** Longest note there is. */
    private static final int MAX_ENTRY_LENGTH = 100;

    private final LongSupplier clock;
    private final long repliesToReplay;
    private final ReplayLogCursor times = new ReplayLogCursor();
    private final ReplayLogCursor timers = new ReplayLogCursor();
    private long currentMillis;
    private long lastLoggedMillis;
    private long replyCount;
    private int logChars;
    private final StringBuilder unreported = new StringBuilder();
    private @Nullable ReplayLogEntry openEntry;

    /**
     * @param clock milliseconds since 1970
     * @throws IllegalArgumentException if the past is none that was told
     */
    ReplayLog(ReplayState past, LongSupplier clock) {
        this.clock = clock;
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

    /** The time as the script sees it, in milliseconds: that of its past, and then never an earlier one. */
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

    /** What time it is, which the script does not hear by this. */
    long clockMillis() {
        return clock.getAsLong();
    }

    /** A call was answered. */
    synchronized void replyReceived() {
        replyCount++;
    }

    /** Whether the past is not over. */
    synchronized boolean isReplaying() {
        return replyCount < repliesToReplay || !timers.entries.isEmpty();
    }

    /** The timer that fired at this point of the past, if one did. */
    synchronized OptionalInt dueTimer() {
        ReplayLogEntry note = timers.entries.peek();
        return note != null && note.replyCount() <= replyCount
                ? OptionalInt.of(note.timerId(timers.index))
                : OptionalInt.empty();
    }

    /** A timer fired: the one of the past that was due, or a new one. */
    synchronized void timerFired(int id) {
        if (timers.entries.isEmpty()) {
            append(ReplayLogEntry.timer(id, replyCount));
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

    /** Whether no more may be noted. */
    synchronized boolean isFull() {
        return logChars > ReplayState.MAX_LOG_CHARS - MAX_ENTRY_LENGTH;
    }

    /** What was noted since this was last asked. */
    synchronized String drain() {
        closeEntry();
        String text = unreported.toString();
        unreported.setLength(0);
        return text;
    }
}
