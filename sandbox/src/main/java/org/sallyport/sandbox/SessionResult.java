package org.sallyport.sandbox;

import org.jspecify.annotations.Nullable;

/** How a session ended. A session ends exactly once. */
public sealed interface SessionResult {

    /**
     * The script returned.
     *
     * @param result JSON text of what it returned ({@code null} literal when nothing)
     */
    record ScriptReturned(String result) implements SessionResult {}

    /**
     * The script failed by its own doing.
     *
     * @param code {@code script-error} (thrown), {@code syntax-error}, {@code deadlock}, {@code unhandled-rejection},
     *     {@code result-not-json}, {@code non-deterministic-replay} (it did not repeat its past) or the code of the {@code ToolError} that was thrown through
     * @param message what was thrown, safe to show
     * @param line 1-based line in the author's text, 0 when unknown
     * @param column 1-based column, 0 when unknown
     * @param stack guest frames only, one a line; may be empty
     * @param tool {@code backend.tool} when a {@code ToolError} went uncaught, else null
     * @param call ordinal of that call, 0 when none
     */
    record ScriptThrew(
            String code,
            String message,
            int line,
            int column,
            String stack,
            @Nullable String tool,
            long call) implements SessionResult {}

    /**
     * The session used more than it may.
     *
     * @param limit which limit
     * @param message which limit, its value and how to ask for more
     */
    record SessionLimitReached(SessionLimitType limit, String message) implements SessionResult {}

    /**
     * The script waits for nothing but its timers and answers that will take long: it can go on by being run again with its
     * past.
     *
     * @param millisToFirstTimer until the first timer is due; 0 when it waits for answers alone
     */
    record SessionParked(long millisToFirstTimer) implements SessionResult {}

    /** {@link SandboxSession#cancel()} took effect. */
    record SessionCancelled() implements SessionResult {}

    /**
     * The place the session ran in is gone; nothing is known of what the script would have done.
     *
     * @param reason why
     * @param message one sentence for the operator and the author
     * @param suspect whether the script computed when the place was lost, so that it may be why; an innocent one waited
     */
    record SessionLost(SessionLossReason reason, String message, boolean suspect) implements SessionResult {
        /** Of a script that is not why. */
        public SessionLost(SessionLossReason reason, String message) {
            this(reason, message, false);
        }
    }

    /** The limits a session can run into. */
    enum SessionLimitType {
        CPU,
        MEMORY,
        RESULT,
        /** What must be kept of a run so that it can be repeated. */
        RECORD
    }

    /** Why a session was lost. */
    enum SessionLossReason {
        /** The worker process died or was killed. */
        WORKER_LOST,
        /** The worker process died since its memory was used up. */
        OUT_OF_MEMORY,
        /** The worker sent what no healthy worker sends, and was killed for it. */
        PROTOCOL_VIOLATION,
        /** No worker could be started. */
        UNAVAILABLE
    }
}
