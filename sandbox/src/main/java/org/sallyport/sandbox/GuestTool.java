package org.sallyport.sandbox;

/**
 * A tool as a script sees it.
 *
 * @param backend original name of the backend
 * @param tool original name of the tool
 * @param metadataJson JSON object with the members that a script can query: {@code description}, {@code inputSchema},
 *     {@code outputSchema}, {@code readOnly}, {@code idempotent}, {@code destructive}, {@code declaration}
 *     (TypeScript); each member is optional
 * @param backendId identifier of the backend, unique among all existing backends
 * @param toolId identifier of the tool, unique among all tools of its backend, including those that the script may not
 *     call
 */
public record GuestTool(String backend, String tool, String metadataJson, String backendId, String toolId) {

    /** Creates a tool whose identifiers derive from its own names only; valid when no other tool has a similar name. */
    public GuestTool(String backend, String tool, String metadataJson) {
        this(backend, tool, metadataJson, ToolIdentifiers.toIdentifier(backend), ToolIdentifiers.toIdentifier(tool));
    }

    /** Creates a tool with empty metadata whose identifiers derive from its own names only. */
    public GuestTool(String backend, String tool) {
        this(backend, tool, "{}");
    }
}
