package org.sallyport.sandbox.guest;

import java.util.Map;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.ScriptErrorCodes;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.parser.PositionMap;

/** Determines the result of a session whose script ended by itself. Used only on the turns of the session. */
final class GuestCompletion {
    private static final int MAX_MESSAGE_LENGTH = 10_000;

    private final SessionLimits limits;
    private Map<String, PositionMap> positionsBySource = Map.of();
    private @Nullable SessionResult sessionResult;

    GuestCompletion(SessionLimits limits) {
        this.limits = limits;
    }

    /** Sets the maps from positions in sources, by name, to the author's positions. */
    void setPositions(Map<String, PositionMap> bySource) {
        positionsBySource = bySource;
    }

    /** Returns the result, or null while the script has not ended. */
    @Nullable SessionResult sessionResult() {
        return sessionResult;
    }

    void complete(SessionResult end) {
        sessionResult = end;
    }

    void completeReturned(String result) {
        sessionResult = new SessionResult.ScriptReturned(result);
    }

    /** Returns a stack trace with the author's own lines. */
    String mapStackTrace(String stack) {
        return StackTraceMapper.of(stack, positionsBySource).fullText();
    }

    void completeThrew(String code, String message, String stack, String tool, long call) {
        StackTraceMapper text = StackTraceMapper.of(stack, positionsBySource);
        sessionResult = new SessionResult.ScriptThrew(
                ScriptErrorCodes.orScriptError(code),
                truncate(message),
                text.position().line(),
                text.position().column(),
                text.frames(),
                tool.isEmpty() ? null : tool,
                call);
    }

    void completeResultTooLarge() {
        sessionResult = new SessionResult.SessionLimitReached(
                SessionResult.SessionLimitType.RESULT,
                "The result is longer than " + limits.resultChars()
                        + " characters; raise limits.resultChars or return less");
    }

    /**
     * Maps an exception of the engine to a result; returns null when the engine itself failed.
     *
     * @param api the API object of the prelude, null before the prelude returned it
     */
    @Nullable SessionResult mapFailure(PolyglotException failure, @Nullable Value api) {
        if (failure.isGuestException() && !failure.isCancelled() && api != null) {
            // The prelude catches all other exceptions, so this one is an unhandled rejection.
            try {
                api.invokeMember("tell", failure.getGuestObject(), "unhandled-rejection");
            } catch (PolyglotException secondFailure) {
                sessionResult = null;
            }
            return sessionResult != null ? sessionResult : engineFailureResult();
        }
        String message = String.valueOf(failure.getMessage());
        if (failure.isResourceExhausted() && message.endsWith("Stack overflow")) {
            // Outside of all functions of the script: in the engine's parser, or in a part of the prelude that was
            // loaded at the limit of the depth. So there is no line.
            return new SessionResult.ScriptThrew(
                    "script-error", "RangeError: Maximum call stack size exceeded", 0, 0, "", null, 0);
        }
        if (failure.isResourceExhausted()) {
            return new SessionResult.SessionLimitReached(
                    SessionResult.SessionLimitType.MEMORY, MemoryMonitor.limitMessage(limits));
        }
        return null;
    }

    static SessionResult deadlockResult() {
        return new SessionResult.ScriptThrew(
                "deadlock", "The script waits for a promise that nothing can settle any more", 0, 0, "", null, 0);
    }

    /**
     * @param how end of a sentence that begins with "The script"
     */
    static SessionResult divergenceResult(String how) {
        return new SessionResult.ScriptThrew(
                "non-deterministic-replay", "The script does not repeat what it did before: " + how, 0, 0, "", null, 0);
    }

    static SessionResult replayLogFullResult() {
        return new SessionResult.SessionLimitReached(
                SessionResult.SessionLimitType.RECORD,
                "The script fired timers or read the clock so often that the replay log is full;"
                        + " this limit is fixed: wait longer between polls");
    }

    static SessionResult engineFailureResult() {
        return new SessionResult.ScriptThrew(
                "script-error", "The script engine failed on this script", 0, 0, "", null, 0);
    }

    private static String truncate(String message) {
        if (message.length() <= MAX_MESSAGE_LENGTH) {
            return message;
        }
        int end = Character.isHighSurrogate(message.charAt(MAX_MESSAGE_LENGTH - 1))
                ? MAX_MESSAGE_LENGTH - 1
                : MAX_MESSAGE_LENGTH;
        return message.substring(0, end) + "…";
    }
}
