package org.sallyport.sandbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a session ended. A session ends exactly once. */
public sealed interface SessionResult {

    /**
     * The script returned.
     *
     * @param result JSON text of the returned value ({@code null} literal when it returned no value)
     */
    record ScriptReturned(String result) implements SessionResult {}

    /**
     * The script failed by its own doing.
     *
     * @param code {@code script-error} (thrown), {@code syntax-error}, {@code deadlock}, {@code unhandled-rejection},
     *     {@code result-not-json}, {@code non-deterministic-replay} (the replay diverged) or the code of an uncaught
     *     {@code ToolError}
     * @param message text of the thrown value, safe to show
     * @param line 1-based line in the author's text, 0 when unknown
     * @param column 1-based column, 0 when unknown
     * @param stack guest frames only, one per line; may be empty
     * @param tool {@code backend.tool} when a {@code ToolError} was not caught, else null
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
     * The session reached a limit.
     *
     * @param limit which limit
     * @param message the limit, its value and how to raise it
     */
    record SessionLimitReached(SessionLimitType limit, String message) implements SessionResult {}

    /**
     * The script waits only for its timers and for answers that take long. A new run with the replay state of this one
     * continues it.
     *
     * @param millisToFirstTimer milliseconds until the first timer is due; 0 when it waits for answers only
     * @param openCalls ordinals of the calls whose answers it has not received; an answer that was sent while the
     *     session ended is lost
     */
    record SessionParked(long millisToFirstTimer, List<Long> openCalls) implements SessionResult {
        public SessionParked {
            openCalls = List.copyOf(openCalls);
        }
    }

    /** {@link SandboxSession#cancel()} took effect. */
    record SessionCancelled() implements SessionResult {}

    /**
     * The worker or sandbox of the session is gone. The outcome of the script is unknown.
     *
     * @param reason why
     * @param message one sentence for the operator and the author
     * @param suspect whether the script was computing at that time and may have caused the loss; false for a script
     *     that was waiting, and for {@link SessionLossReason#OUT_OF_MEMORY} if others had allocated far more memory
     */
    record SessionLost(SessionLossReason reason, String message, boolean suspect) implements SessionResult {
        /** Creates a loss that the script did not cause. */
        public SessionLost(SessionLossReason reason, String message) {
            this(reason, message, false);
        }
    }

    /** The limits a session can run into. */
    enum SessionLimitType {
        CPU,
        MEMORY,
        RESULT,
        /** The replay log of the run reached its maximum size. */
        RECORD
    }

    /** Why a session was lost. */
    enum SessionLossReason {
        /** The worker process died or was killed. */
        WORKER_LOST,
        /** The worker process died because its memory was exhausted. */
        OUT_OF_MEMORY,
        /** The worker violated the protocol and was killed. */
        PROTOCOL_VIOLATION,
        /** No worker could be started. */
        UNAVAILABLE
    }
}
