package org.sallyport.sandbox;

/**
 * A tool as a script sees it, by its original names (the guest turns them into identifiers).
 *
 * @param backend original name of the backend
 * @param tool original name of the tool
 * @param about JSON object with what a script can ask about it: {@code description}, {@code inputSchema}, {@code
 *     outputSchema}, {@code readOnly}, {@code idempotent}, {@code destructive}, {@code declaration} (TypeScript); may
 *     lack any of them
 */
public record GuestTool(String backend, String tool, String about) {

    /** A tool about which nothing more is known. */
    public GuestTool(String backend, String tool) {
        this(backend, tool, "{}");
    }
}
