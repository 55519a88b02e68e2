package org.sallyport.bridge;

import java.util.concurrent.CompletionStage;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolReply;

/** Sends calls of capabilities to one bridge and all other calls to another. Thread-safe. */
public final class RoutingToolBridge implements ToolBridge {
    private final ToolBridge tools;
    private final ToolBridge capabilities;

    public RoutingToolBridge(ToolBridge tools, ToolBridge capabilities) {
        this.tools = tools;
        this.capabilities = capabilities;
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        return route(call).send(call);
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call, Runnable argumentsStored) {
        return route(call).send(call, argumentsStored);
    }

    private ToolBridge route(ToolCall call) {
        return call.tool().backend().equals(CapabilityToolProvider.BACKEND) ? capabilities : tools;
    }

    /** Cancels on both bridges: each ignores calls that are not its own. */
    @Override
    public void cancel(CallId id) {
        tools.cancel(id);
        capabilities.cancel(id);
    }
}
