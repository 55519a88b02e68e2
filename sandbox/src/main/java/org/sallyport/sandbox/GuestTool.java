package org.sallyport.sandbox;

import java.util.List;

/**
 * A tool as a script sees it.
 *
 * @param backend name of the backend
 * @param tool name of the tool in calls, grants and traces
 * @param metadataJson JSON object with the members that a script can query: {@code description}, {@code inputSchema},
 *     {@code outputSchema}, {@code readOnly}, {@code idempotent}, {@code destructive}, {@code declaration}
 *     (TypeScript), {@code unusable}; each member is optional
 * @param backendId identifier of the backend, unique among all existing backends
 * @param toolId identifier of the tool, unique among all tools of its backend, including those that the script may not
 *     call
 * @param declaredName the name by which the tool is declared; may contain any characters
 */
public record GuestTool(
        String backend, String tool, String metadataJson, String backendId, String toolId, String declaredName) {

    /** Creates a tool whose identifiers derive from its own names only; valid when no other tool has a similar name. */
    public GuestTool(String backend, String tool, String metadataJson) {
        this(
                backend,
                tool,
                metadataJson,
                ToolIdentifiers.toIdentifier(backend),
                ToolIdentifiers.toIdentifier(tool),
                tool);
    }

    /** Creates a tool with empty metadata whose identifiers derive from its own names only. */
    public GuestTool(String backend, String tool) {
        this(backend, tool, "{}");
    }

    /** Returns the texts by which scripts can name the tool within its backend, in the order of their precedence. */
    List<String> texts() {
        return List.of(toolId, tool, declaredName);
    }
}
