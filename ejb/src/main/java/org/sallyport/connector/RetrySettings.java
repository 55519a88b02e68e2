package org.sallyport.connector;

import java.time.Duration;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * How often a call is sent that may be sent twice, when its backend does not answer.
 *
 * @param maxAttempts at most, the first included
 * @param initialDelay before the second; before each that follows it is twice as long
 */
public record RetrySettings(int maxAttempts, Duration initialDelay) {
    private static final long MAX_DELAY_MILLIS = 60_000;
    private static final int JITTER_STEPS = 1_000;

    /** Whether what came of an attempt says that another may fare better, and that nothing is wrong with making it. */
    static boolean isRetryable(ToolResult result) {
        // Not after a timeout: it may be under way still, and a backend that is too slow is not helped by more of the
        // same.
        return result instanceof ToolResult.ToolFailure failure
                && failure.error().code() == ToolErrorCode.BACKEND_UNAVAILABLE;
    }

    /**
     * The pause after so many attempts: at least half of the whole. How much more depends on the call, so that calls which failed together do not
     * come back together.
     */
    Duration delayAfter(int made, CallId call) {
        long whole = Math.min(MAX_DELAY_MILLIS, initialDelay.toMillis() << Math.min(made - 1, 20));
        long share = Math.floorMod(call.toString().hashCode() * 31 + made, JITTER_STEPS);
        return Duration.ofMillis(Math.max(1, whole / 2 + whole * share / (2 * JITTER_STEPS)));
    }
}
