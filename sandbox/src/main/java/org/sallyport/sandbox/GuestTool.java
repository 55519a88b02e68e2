package org.sallyport.sandbox;

/**
 * A tool as a script sees it.
 *
 * @param backend original name of the backend
 * @param tool original name of the tool
 * @param metadataJson JSON object with what a script can ask about it: {@code description}, {@code inputSchema}, {@code
 *     outputSchema}, {@code readOnly}, {@code idempotent}, {@code destructive}, {@code declaration} (TypeScript); may
 *     lack any of them
 * @param backendId identifier of the backend among all backends there are
 * @param toolId identifier of the tool among all tools of its backend, those that the script may not call too
 */
public record GuestTool(String backend, String tool, String metadataJson, String backendId, String toolId) {

    /** A tool beside which there is none that could be taken for it. */
    public GuestTool(String backend, String tool, String metadataJson) {
        this(backend, tool, metadataJson, ToolIdentifiers.toIdentifier(backend), ToolIdentifiers.toIdentifier(tool));
    }

    /** Such a tool, about which nothing more is known. */
    public GuestTool(String backend, String tool) {
        this(backend, tool, "{}");
    }
}
