package org.sallyport.sandbox;

import java.util.function.Predicate;

/**
 * The recorded state of earlier runs of the same execution. A script that starts with it and gets the same replies in
 * the same order repeats the same steps.
 *
 * @param seed seed of all random numbers of the script; any text; if empty, the sandbox chooses a random seed
 * @param log all texts passed to {@link SessionListener#onReplayLog} so far, concatenated
 * @param replyCount calls that were answered in earlier runs; replies beyond this count are new
 * @param clockOffsetMillis offset in milliseconds that is added to the clock of this machine to get the clock of the
 *     execution; runs on several machines share this clock, so that long waits are measured by one clock
 */
public record ReplayState(String seed, String log, long replyCount, long clockOffsetMillis) {
    /** The state of a first run with a random seed. */
    public static final ReplayState NONE = new ReplayState("", "", 0);

    /** Maximum characters of a whole log. */
    public static final int MAX_LOG_CHARS = 1_000_000;

    /** Creates a state that uses the clock of this machine. */
    public ReplayState(String seed, String log, long replyCount) {
        this(seed, log, replyCount, 0);
    }

    /** Returns this state with another clock offset in milliseconds. */
    public ReplayState withClockOffset(long millisAhead) {
        return new ReplayState(seed, log, replyCount, millisAhead);
    }

    /** Returns the state of a first run with the given seed. */
    public static ReplayState of(String seed) {
        return new ReplayState(seed, "", 0);
    }

    /**
     * Returns {@code log} without its timer entries, for a script that may start other timers. Clock entries remain.
     */
    public static String withoutTimers(String log) {
        return filterEntries(log, note -> !note.startsWith("t"));
    }

    /** Returns {@code log} without the timers that fired after more than {@code replies} answers. */
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
