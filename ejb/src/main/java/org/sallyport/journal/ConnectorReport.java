package org.sallyport.journal;

import java.util.Optional;
import org.sallyport.tool.ToolReply;

/**
 * What the connector that took a call tells beside its answer.
 *
 * @param backendMillis how long the backend had the call, all attempts together, in milliseconds
 * @param node the node whose connector it was; empty where it does not say
 */
public record ConnectorReport(long backendMillis, Optional<String> node) {

    /** Of a reply; empty when no connector took the call. */
    public static Optional<ConnectorReport> of(ToolReply reply) {
        boolean taken = reply.node().isPresent() || reply.queueMillis() > 0 || reply.backendMillis() > 0;
        return taken ? Optional.of(new ConnectorReport(reply.backendMillis(), reply.node())) : Optional.empty();
    }
}
