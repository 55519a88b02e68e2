package org.sallyport.tool;

/**
 * The name of a tool: its backend and its name there.
 *
 * @param backend name of the backend; contains no dot
 * @param tool name of the tool; may contain dots
 */
public record ToolName(String backend, String tool) implements Comparable<ToolName> {

    /** Splits {@code backend.tool} at the first dot. Throws {@link IllegalArgumentException} when a part is missing. */
    public static ToolName parse(String qualified) {
        int dot = qualified.indexOf('.');
        if (dot < 1 || dot == qualified.length() - 1) {
            throw new IllegalArgumentException("a tool name must have the form backend.tool, not '" + qualified + "'");
        }
        return new ToolName(qualified.substring(0, dot), qualified.substring(dot + 1));
    }

    /** Returns whether both parts are present and {@link #toString()} is unambiguous. */
    public boolean isWellFormed() {
        return !backend.isEmpty() && backend.indexOf('.') < 0 && !tool.isEmpty();
    }

    @Override
    public int compareTo(ToolName other) {
        int byBackend = backend.compareTo(other.backend);
        return byBackend != 0 ? byBackend : tool.compareTo(other.tool);
    }

    /** Returns {@code backend.tool}. */
    @Override
    public String toString() {
        return backend + "." + tool;
    }
}
