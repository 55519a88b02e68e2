package org.sallyport.journal;

import java.util.Optional;
import org.sallyport.tool.ToolReply;

/**
 * Timing and origin that the connector reports with its reply.
 *
 * @param backendMillis time that the backend took for the call, all attempts together, in milliseconds
 * @param node the node of the connector; empty when the connector does not report it
 */
public record ConnectorReport(long backendMillis, Optional<String> node) {

    /** Returns the report of a reply; empty when no connector took the call. */
    public static Optional<ConnectorReport> of(ToolReply reply) {
        boolean taken = reply.node().isPresent() || reply.queueMillis() > 0 || reply.backendMillis() > 0;
        return taken ? Optional.of(new ConnectorReport(reply.backendMillis(), reply.node())) : Optional.empty();
    }
}
