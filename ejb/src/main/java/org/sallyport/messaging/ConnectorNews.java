package org.sallyport.messaging;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * What a connector that runs elsewhere says of itself, on {@link Destinations#externalRegistrations}. It comes from outside:
 * what is longer, more or otherwise than the contract allows is no news.
 */
public sealed interface ConnectorNews {
    /** Tools that one backend may have. */
    int MOST_TOOLS = 500;

    /** The name that the process gave itself; another after each of its starts. */
    String instance();

    /**
     * "I am here, and this is what I offer."
     *
     * @param revision changes with the tools
     */
    record Registered(String instance, String revision, List<Tool> tools) implements ConnectorNews {
        public Registered {
            tools = List.copyOf(tools);
        }
    }

    /** "I am still here." */
    record Alive(String instance, String revision) implements ConnectorNews {}

    /** "I am going." */
    record Left(String instance) implements ConnectorNews {}

    /** A tool as it is declared. */
    record Tool(String name, String description, Json inputSchema, Optional<Json> outputSchema, ToolHints hints) {}

    /**
     * Reads version 1: {@code {"v":1,"register":{"instance","revision","tools":[…]}}}, {@code {"v":1,"alive":{"instance",
     * "revision"}}} or {@code {"v":1,"leave":{"instance"}}}. {@link RegistrationRefusedException} for a registration with an impossible
     * tool, {@link BadMessageException} for anything else.
     */
    static ConnectorNews decode(String text) {
        return ConnectorNewsReader.read(text);
    }
}
