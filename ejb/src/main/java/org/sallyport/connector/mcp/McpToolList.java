package org.sallyport.connector.mcp;

import java.util.List;
import java.util.Optional;
import org.sallyport.catalog.ToolDefinition;

/**
 * The tools of a server.
 *
 * @param tools the tools, including those that cannot be called; each name once
 * @param note what is wrong with the list, if something is; for people
 */
record McpToolList(List<ToolDefinition> tools, Optional<String> note) {
    static final McpToolList EMPTY = new McpToolList(List.of(), Optional.empty());

    /** That of a server whose capabilities have no tools, so that it must not be asked for a list. */
    static final McpToolList NOT_OFFERED = new McpToolList(
            List.of(), Optional.of("its handshake does not have the capability 'tools', so it has no tools"));

    McpToolList {
        tools = List.copyOf(tools);
    }
}
