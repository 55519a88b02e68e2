package org.sallyport.messaging;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * Status message of an external connector, received on {@link JmsDestinations#externalStatus}. The sender is not
 * trusted: a message that exceeds or breaks the contract is rejected.
 */
public sealed interface ConnectorStatusMessage {
    /** Maximum number of tools of one backend. */
    int MAX_TOOLS = 500;

    /** The name that the connector process gave itself; a new one after each start. */
    String instance();

    /**
     * Announces a connector and its tools.
     *
     * @param revision changes when the tools change
     */
    record ConnectorRegistration(String instance, String revision, List<RegisteredTool> tools)
            implements ConnectorStatusMessage {
        public ConnectorRegistration {
            tools = List.copyOf(tools);
        }
    }

    /** Reports that the connector is still running. */
    record ConnectorHeartbeat(String instance, String revision) implements ConnectorStatusMessage {}

    /** Reports that the connector is stopping. */
    record ConnectorGoodbye(String instance) implements ConnectorStatusMessage {}

    /** A tool as its connector declares it. */
    record RegisteredTool(
            String name, String description, Json inputSchema, Optional<Json> outputSchema, ToolHints hints) {}

    /**
     * Decodes version 1: {@code {"v":1,"register":{"instance","revision","tools":[…]}}},
     * {@code {"v":1,"alive":{"instance", "revision"}}} or {@code {"v":1,"leave":{"instance"}}}. Throws
     * {@link RegistrationRefusedException} for a registration with an invalid tool, and
     * {@link MalformedMessageException} for any other invalid message.
     */
    static ConnectorStatusMessage decode(String text) {
        return ConnectorStatusReader.read(text);
    }
}
