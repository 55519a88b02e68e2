package org.sallyport.tool;

import java.util.concurrent.CompletionStage;

/** Carries a call that passed every check to its backend and brings the answer back. Thread-safe, never blocks for the answer. */
public interface ToolBridge {

    /** Sends {@code call}; the stage always completes normally, failures included, at its deadline at the latest. */
    CompletionStage<ToolReply> send(ToolCall call);

    /** Tells the connector that nobody waits for {@code id} any more; a reply that still comes is dropped and counted. */
    void cancel(CallId id);
}
