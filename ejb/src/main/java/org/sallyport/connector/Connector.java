package org.sallyport.connector;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Calls the tools of one backend. Thread-safe. */
public interface Connector {

    /** The backend's name. */
    String backendName();

    /** The backend's tools. */
    List<ToolSpec> tools();

    /**
     * Makes the call. Never blocks the calling thread for slow work. An exception and a failed stage are reported as
     * {@code tool-failed} if the call is repeatable, and as {@code outcome-unknown} otherwise.
     */
    CompletionStage<ToolResult> call(ToolCall call);

    /** Like {@link #call}, and also returns the number of attempts. */
    default CompletionStage<ConnectorCallResult> callWithRetry(ToolCall call) {
        return call(call).thenApply(result -> new ConnectorCallResult(result, 1));
    }

    /**
     * Result of a call.
     *
     * @param attempts how many times the call was sent to the backend; 0 only if it certainly was not sent, or was
     *     withdrawn without an effect
     */
    record ConnectorCallResult(ToolResult result, int attempts) {}

    /**
     * Cancels a call whose caller no longer waits; effects that have not begun should not happen. Ignores unknown
     * calls.
     */
    default void cancel(CallId call) {}

    /** Prevents a call that has not started; false if it has started, or may have. */
    default boolean cancelIfNotStarted(CallId call) {
        return false;
    }
}
