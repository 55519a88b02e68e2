package org.sallyport.tool;

import java.util.concurrent.CompletionStage;

/** Sends an authorized call to its backend and returns the reply. Thread-safe; never blocks for the reply. */
public interface ToolBridge {

    /**
     * Sends {@code call}. The stage always completes normally, also with a failure, at the call's deadline at the
     * latest.
     */
    CompletionStage<ToolReply> send(ToolCall call);

    /**
     * Sends {@code call} like {@link #send(ToolCall)}.
     *
     * @param argumentsStored runs if the arguments are stored before the reply, and not held in memory from then on
     */
    default CompletionStage<ToolReply> send(ToolCall call, Runnable argumentsStored) {
        return send(call);
    }

    /** Notifies the connector that the caller no longer waits for {@code id}; a later reply is dropped and counted. */
    void cancel(CallId id);
}
