package org.sallyport.connector;

import java.time.Duration;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Retry policy for repeatable calls that their backend does not answer.
 *
 * @param maxAttempts maximum number of attempts, including the first
 * @param initialDelay delay before the second attempt; it doubles before each further attempt
 */
public record RetrySettings(int maxAttempts, Duration initialDelay) {
    private static final long MAX_DELAY_MILLIS = 60_000;
    private static final int JITTER_STEPS = 1_000;

    /** Whether the result of an attempt suggests that another attempt may succeed and is harmless. */
    static boolean isRetryable(ToolResult result) {
        // A timeout is not retried: the call may still be running, and more calls do not help a slow backend.
        return result instanceof ToolResult.ToolFailure failure
                && failure.error().code() == ToolErrorCode.BACKEND_UNAVAILABLE;
    }

    /**
     * Delay after {@code attemptsMade} attempts: at least half of the full backoff. The rest is jitter derived from the
     * call id, so that calls that failed together are not repeated together.
     */
    Duration delayAfter(int attemptsMade, CallId call) {
        long whole = Math.min(MAX_DELAY_MILLIS, initialDelay.toMillis() << Math.min(attemptsMade - 1, 20));
        long share = Math.floorMod(call.toString().hashCode() * 31 + attemptsMade, JITTER_STEPS);
        return Duration.ofMillis(Math.max(1, whole / 2 + whole * share / (2 * JITTER_STEPS)));
    }
}
