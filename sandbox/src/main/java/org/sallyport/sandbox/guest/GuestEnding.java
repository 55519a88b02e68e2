package org.sallyport.sandbox.guest;

import java.util.Map;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.source.PositionMap;

/** How the script of a session ended by its own doing. Used on the session's turns only. */
final class GuestEnding {
    private static final int MAX_MESSAGE = 10_000;

    private final SessionLimits limits;
    private Map<String, PositionMap> positions = Map.of();
    private @Nullable SessionEnd settled;

    GuestEnding(SessionLimits limits) {
        this.limits = limits;
    }

    /** Says how places in sources, by name, become the author's. */
    void positions(Map<String, PositionMap> bySource) {
        positions = bySource;
    }

    /** How it ended, or null while it did not. */
    @Nullable SessionEnd settled() {
        return settled;
    }

    void settle(SessionEnd end) {
        settled = end;
    }

    void returned(String result) {
        settled = new SessionEnd.Returned(result);
    }

    /** A stack trace with the author's own lines. */
    String readable(String stack) {
        return StackText.of(stack, positions).text();
    }

    void threw(String code, String message, String stack, String tool, long call) {
        StackText text = StackText.of(stack, positions);
        settled = new SessionEnd.Threw(
                code,
                cut(message),
                text.place().line(),
                text.place().column(),
                text.frames(),
                tool.isEmpty() ? null : tool,
                call);
    }

    void resultTooLarge() {
        settled = new SessionEnd.LimitReached(
                SessionEnd.Limit.RESULT,
                "The result is longer than " + limits.resultChars()
                        + " characters; raise limits.resultChars or return less");
    }

    /**
     * What a failure that came out of the engine means; null when the engine itself failed.
     *
     * @param api what the prelude gave back, null before it did
     */
    @Nullable SessionEnd failure(PolyglotException failure, @Nullable Value api) {
        if (failure.isGuestException() && !failure.isCancelled() && api != null) {
            // All else is caught in the prelude: what comes through is a rejection that nobody handles.
            try {
                api.invokeMember("tell", failure.getGuestObject(), "unhandled-rejection");
            } catch (PolyglotException again) {
                settled = null;
            }
            return settled != null ? settled : engineFailure();
        }
        String message = String.valueOf(failure.getMessage());
        if (failure.isResourceExhausted() && message.contains("frame limit")) {
            return new SessionEnd.Threw(
                    "script-error", "RangeError: Maximum call stack size exceeded", 0, 0, "", null, 0);
        }
        if (failure.isResourceExhausted()) {
            return new SessionEnd.LimitReached(SessionEnd.Limit.MEMORY, MemoryWatch.message(limits));
        }
        return null;
    }

    static SessionEnd deadlock() {
        return new SessionEnd.Threw(
                "deadlock", "The script waits for a promise that nothing can settle any more", 0, 0, "", null, 0);
    }

    /** @param how in words that follow "The script" */
    static SessionEnd diverged(String how) {
        return new SessionEnd.Threw(
                "non-deterministic-replay", "The script does not repeat what it did before: " + how, 0, 0, "", null, 0);
    }

    static SessionEnd recordFull() {
        return new SessionEnd.LimitReached(
                SessionEnd.Limit.RECORD,
                "The script fired timers or read the clock so often that its run cannot be kept for a repeat;"
                        + " this limit is fixed: wait longer between looks");
    }

    static SessionEnd engineFailure() {
        return new SessionEnd.Threw("script-error", "The script engine failed on this script", 0, 0, "", null, 0);
    }

    private static String cut(String message) {
        if (message.length() <= MAX_MESSAGE) {
            return message;
        }
        int end = Character.isHighSurrogate(message.charAt(MAX_MESSAGE - 1)) ? MAX_MESSAGE - 1 : MAX_MESSAGE;
        return message.substring(0, end) + "…";
    }
}
