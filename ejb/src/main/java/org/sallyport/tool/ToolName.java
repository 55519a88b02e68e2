package org.sallyport.tool;

/**
 * A tool by its original names: the backend and the tool in it.
 *
 * @param backend name of the backend; holds no dot
 * @param tool name of the tool; may hold dots
 */
public record ToolName(String backend, String tool) implements Comparable<ToolName> {

    /** Splits {@code backend.tool} at the first dot; {@link IllegalArgumentException} when there is none. */
    public static ToolName parse(String qualified) {
        int dot = qualified.indexOf('.');
        if (dot < 1 || dot == qualified.length() - 1) {
            throw new IllegalArgumentException("a tool is named backend.tool, not '" + qualified + "'");
        }
        return new ToolName(qualified.substring(0, dot), qualified.substring(dot + 1));
    }

    /** Whether both names are there and {@link #toString()} tells which is which. */
    public boolean isWellFormed() {
        return !backend.isEmpty() && backend.indexOf('.') < 0 && !tool.isEmpty();
    }

    @Override
    public int compareTo(ToolName other) {
        int byBackend = backend.compareTo(other.backend);
        return byBackend != 0 ? byBackend : tool.compareTo(other.tool);
    }

    /** {@code backend.tool}. */
    @Override
    public String toString() {
        return backend + "." + tool;
    }
}
