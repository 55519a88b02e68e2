package org.sallyport.sandbox;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Receives the events of a session in order, one call at a time, on a thread of the sandbox. Implementations return
 * quickly and never block on I/O. No call follows {@link #onEnded}.
 */
public interface SessionListener {

    /**
     * The script calls a tool; answer with {@link SandboxSession#resolve} or {@link SandboxSession#reject}.
     *
     * @param call ordinal of the call within the session, from 1, in the order in which the script made the calls
     * @param backend original name of the backend
     * @param tool original name of the tool
     * @param arguments exactly the JSON text that the script passed
     */
    void onToolCall(long call, String backend, String tool, String arguments);

    /**
     * Reserves memory for the arguments of the next call, because the unanswered calls without a reservation would have
     * more than {@link OpenCharsLimiter#MAX_UNRESERVED_CHARS} characters. The call and all later events, except
     * progress, follow when the returned stage has completed normally. If the session is stopped before, or reaches a
     * limit, the call is not made. At most one reservation is pending.
     *
     * @param call ordinal of the call, which may also be a request to the host
     * @param chars characters of its arguments
     */
    default CompletionStage<?> reserveArguments(long call, int chars) {
        return CompletableFuture.completedStage(null);
    }

    /**
     * Reserves memory for the result of a script that has returned, because the result has more than {@link
     * OpenCharsLimiter#MAX_UNRESERVED_RESULT_CHARS} characters. {@link #onEnded} follows when the returned stage has
     * completed normally, or when the session is stopped before. No other call follows.
     *
     * @param chars characters of the result
     */
    default CompletionStage<?> reserveResult(int chars) {
        return CompletableFuture.completedStage(null);
    }

    /**
     * The script wrote output. The text is already bounded and never split inside a code point.
     *
     * @param stream which stream
     * @param text the output; may hold any UTF-16 code unit
     */
    void onOutput(OutputStreamKind stream, String text);

    /**
     * Output of {@code stream} is longer than its limit, and a part of it is omitted. Called at most once per stream.
     * Only the last part of the stream may follow, when the session ends.
     */
    void onOutputTruncated(OutputStreamKind stream);

    /**
     * The script reports its progress. Only the latest report counts.
     *
     * @param fraction from 0 to 1
     * @param text a short text, at most 1,000 characters; may be empty
     */
    void onProgress(double fraction, String text);

    /**
     * The script observed further inputs that a replay must repeat: timers that fired and clock readings. Called before
     * any event that may depend on them. Also called without such an event when the script begins to wait for a second
     * or more, and about once a second while its timers fire, so that a replay waits only for what is left.
     *
     * @param log appended to the log reported so far; see {@link ReplayState#log()}
     */
    default void onReplayLog(String log) {}

    /**
     * The script used names that scripts do not have. Called at most once, before {@link #onEnded}. A replay uses them
     * again, so the counts are those of all runs of the script up to this point, not only of this session.
     *
     * @param counts the counts since the script began, at least one; at most {@link BlockedAccess#MAX_NAMES} names of
     *     each kind, and one count for its further names
     */
    default void onBlockedAccess(List<BlockedAccess> counts) {}

    /**
     * A debugger can attach.
     *
     * @param url WebSocket address on this machine
     */
    default void onDebuggerReady(String url) {}

    /**
     * The profile of a sampled script. Called before {@link #onEnded}.
     *
     * @param profile in the format of {@code .cpuprofile} files
     */
    default void onProfile(String profile) {}

    /** The session is over and its memory is freed. */
    void onEnded(SessionResult end);
}
