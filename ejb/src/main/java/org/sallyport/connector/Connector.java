package org.sallyport.connector;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Speaks to one backend. Thread-safe. */
public interface Connector {

    /** The backend's name. */
    String backendName();

    /** The backend's tools. */
    List<ToolSpec> tools();

    /** Makes the call; never waits on the calling thread for something slow. A stage that fails becomes {@code tool-failed}. */
    CompletionStage<ToolResult> call(ToolCall call);

    /** As {@link #call}, with how often it was sent on. */
    default CompletionStage<ConnectorCallResult> callWithRetry(ToolCall call) {
        return call(call).thenApply(result -> new ConnectorCallResult(result, 1));
    }

    /**
     * What came of a call.
     *
     * @param attempts how often it was sent to the backend; 0 only when it certainly never was
     */
    record ConnectorCallResult(ToolResult result, int attempts) {}

    /** Nobody waits for this call any more: what it would do and has not begun should not happen. May be no call of its own. */
    default void cancel(CallId call) {}

    /** Keeps a call from happening that has not begun; false when it has, or may have. */
    default boolean cancelIfNotStarted(CallId call) {
        return false;
    }
}
