package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Past;

/**
 * What a script hears beside answers, times and timers: repeated from its past, then noted for its future as {@link
 * LogNote}s, each with a blank behind it. Thread-safe.
 */
final class RunLog {
    /** Notes of the past, of one kind. */
    private static final class Track {
        private final Deque<LogNote> notes = new ArrayDeque<>();
        private long index;

        void step() {
            LogNote note = notes.element();
            if (++index == note.count()) {
                notes.remove();
                index = 0;
            }
        }
    }

    /** Longest note there is. */
    private static final int NOTE = 100;

    private final LongSupplier clock;
    private final long pastReplies;
    private final Track times = new Track();
    private final Track timers = new Track();
    private long now;
    private long notedTime;
    private long replies;
    private int size;
    private final StringBuilder fresh = new StringBuilder();
    private @Nullable LogNote open;

    /**
     * @param clock milliseconds since 1970
     * @throws IllegalArgumentException if the past is none that was told
     */
    RunLog(Past past, LongSupplier clock) {
        this.clock = clock;
        pastReplies = past.replies();
        String log = past.log();
        size = log.length();
        for (int at = 0, blank; at < size; at = blank + 1) {
            blank = log.indexOf(' ', at);
            LogNote note = LogNote.read(log.substring(at, blank < 0 ? at : blank));
            (note.timer() ? timers : times).notes.add(note);
            notedTime += note.timer() ? 0 : note.first();
        }
    }

    /** The time as the script sees it, in milliseconds: that of its past, and then never an earlier one. */
    synchronized long now() {
        LogNote note = times.notes.peek();
        if (note != null) {
            now += times.index == 0 ? note.first() : 0;
            times.step();
            return now;
        }
        now = Math.max(now, clock.getAsLong());
        note(LogNote.time(now - notedTime));
        notedTime = now;
        return now;
    }

    /** What time it is, which the script does not hear by this. */
    long clock() {
        return clock.getAsLong();
    }

    /** A call was answered. */
    synchronized void replied() {
        replies++;
    }

    /** Whether the past is not over. */
    synchronized boolean repeats() {
        return replies < pastReplies || !timers.notes.isEmpty();
    }

    /** The timer that fired at this point of the past, if one did. */
    synchronized OptionalInt due() {
        LogNote note = timers.notes.peek();
        return note != null && note.replies() <= replies ? OptionalInt.of(note.id(timers.index)) : OptionalInt.empty();
    }

    /** A timer fired: the one of the past that was due, or a new one. */
    synchronized void fired(int id) {
        if (timers.notes.isEmpty()) {
            note(LogNote.timer(id, replies));
        } else {
            timers.step();
        }
    }

    private void note(LogNote next) {
        LogNote last = open;
        LogNote both = last == null ? null : last.with(next);
        if (both == null) {
            close();
        }
        open = both == null ? next : both;
    }

    private void close() {
        LogNote last = open;
        if (last != null) {
            String text = last + " ";
            size += text.length();
            fresh.append(text);
            open = null;
        }
    }

    /** Whether no more may be noted. */
    synchronized boolean full() {
        return size > Past.MAX_LOG - NOTE;
    }

    /** What was noted since this was last asked. */
    synchronized String take() {
        close();
        String text = fresh.toString();
        fresh.setLength(0);
        return text;
    }
}
