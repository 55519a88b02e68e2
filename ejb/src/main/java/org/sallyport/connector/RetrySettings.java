package org.sallyport.connector;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
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
    /** Member of the details of a failed call: how long the backend wants callers to wait, in milliseconds. */
    private static final String RETRY_AFTER_MEMBER = "retryAfterMillis";

    private static final int TOO_MANY_REQUESTS = 429;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Whether the result of an attempt suggests that another attempt may succeed and is harmless. */
    static boolean isRetryable(ToolResult result) {
        // A timeout is not retried: the call may still be running, and more calls do not help a slow backend.
        return result instanceof ToolResult.ToolFailure failure
                && failure.error().code() == ToolErrorCode.BACKEND_UNAVAILABLE;
    }

    /**
     * Whether the backend itself answered that it does not take the call now: its details have the HTTP status 429 or a
     * time to wait. Such an answer is no evidence that the backend is unreachable, nor that it is reachable.
     */
    static boolean isThrottled(ToolResult result) {
        JsonNode details = details(result);
        return isRetryable(result)
                && (details.path(RETRY_AFTER_MEMBER).isNumber()
                        || details.path("status").asInt() == TOO_MANY_REQUESTS);
    }

    /** Details of a failed call; a missing node if there are none, or they are not JSON. */
    private static JsonNode details(ToolResult result) {
        try {
            return result instanceof ToolResult.ToolFailure failure
                            && failure.error().details().isPresent()
                    ? JSON.readTree(failure.error().details().get().text())
                    : MissingNode.getInstance();
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /**
     * How long the backend wants callers to wait after this result; zero if it does not say. The next attempt adds its
     * own delay, because the calls that were refused together are told the same time.
     */
    static Duration requestedDelay(ToolResult result) {
        JsonNode requested = details(result).path(RETRY_AFTER_MEMBER);
        return Duration.ofMillis(requested.isNumber() ? (long) Math.max(0, requested.doubleValue()) : 0);
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
