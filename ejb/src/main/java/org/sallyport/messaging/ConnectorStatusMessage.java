package org.sallyport.messaging;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * What a connector that runs elsewhere says of itself, on {@link JmsDestinations#externalStatus}. It comes from outside:
 * what is longer, more or otherwise than the contract allows is no news.
 */
public sealed interface ConnectorStatusMessage {
    /** Tools that one backend may have. */
    int MAX_TOOLS = 500;

    /** The name that the process gave itself; another after each of its starts. */
    String instance();

    /**
     * "I am here, and this is what I offer."
     *
     * @param revision changes with the tools
     */
    record ConnectorRegistration(String instance, String revision, List<RegisteredTool> tools)
            implements ConnectorStatusMessage {
        public ConnectorRegistration {
            tools = List.copyOf(tools);
        }
    }

    /** "I am still here." */
    record ConnectorHeartbeat(String instance, String revision) implements ConnectorStatusMessage {}

    /** "I am going." */
    record ConnectorGoodbye(String instance) implements ConnectorStatusMessage {}

    /** A tool as it is declared. */
    record RegisteredTool(
            String name, String description, Json inputSchema, Optional<Json> outputSchema, ToolHints hints) {}

    /**
     * Reads version 1: {@code {"v":1,"register":{"instance","revision","tools":[…]}}}, {@code {"v":1,"alive":{"instance",
     * "revision"}}} or {@code {"v":1,"leave":{"instance"}}}. {@link RegistrationRefusedException} for a registration with an impossible
     * tool, {@link MalformedMessageException} for anything else.
     */
    static ConnectorStatusMessage decode(String text) {
        return ConnectorStatusReader.read(text);
    }
}
