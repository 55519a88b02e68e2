package org.sallyport.sandbox;

import java.util.function.Predicate;

/**
 * What a run has in common with the earlier runs of the same execution. With it, and with the same answers in the same
 * order, a script does the same again.
 *
 * @param seed what all chance of the script comes from; any text, empty for one made up by the sandbox
 * @param log all that was told to {@link SessionListener#onReplayLog} so far, one after the other
 * @param replyCount how many calls had been answered: answers beyond these are new
 * @param clockOffsetMillis by how much the clock that all runs of the execution go by is ahead of this machine's, in milliseconds: where
 *     they run on several machines, long waits go by one clock
 */
public record ReplayState(String seed, String log, long replyCount, long clockOffsetMillis) {
    /** That of a first run whose chance nobody has to know. */
    public static final ReplayState NONE = new ReplayState("", "", 0);

    /** Characters that all of a log may have. */
    public static final int MAX_LOG_CHARS = 1_000_000;

    /** One by this machine's own clock. */
    public ReplayState(String seed, String log, long replyCount) {
        this(seed, log, replyCount, 0);
    }

    /** The same by another clock. */
    public ReplayState withClockOffset(long millisAhead) {
        return new ReplayState(seed, log, replyCount, millisAhead);
    }

    /** That of a first run. */
    public static ReplayState of(String seed) {
        return new ReplayState(seed, "", 0);
    }

    /** The times of a log, for a script that may have other timers. */
    public static String withoutTimers(String log) {
        return filterEntries(log, note -> !note.startsWith("t"));
    }

    /** A log without the timers that fired after more than {@code replies} answers. */
    public static String withoutTimersAfter(String log, long replies) {
        return filterEntries(log, note -> !note.startsWith("t") || replies(note) <= replies);
    }

    private static long replies(String timer) {
        int star = timer.indexOf('*');
        return Long.parseLong(timer.substring(timer.indexOf('@') + 1, star < 0 ? timer.length() : star));
    }

    private static String filterEntries(String log, Predicate<String> wanted) {
        StringBuilder kept = new StringBuilder();
        for (int at = 0; at < log.length(); ) {
            int blank = log.indexOf(' ', at);
            int end = blank < 0 ? log.length() : blank;
            String note = log.substring(at, end);
            if (wanted.test(note)) {
                kept.append(note).append(' ');
            }
            at = end + 1;
        }
        return kept.toString();
    }
}
