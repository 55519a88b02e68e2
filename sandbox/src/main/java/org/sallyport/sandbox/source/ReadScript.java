package org.sallyport.sandbox.source;

/** A script that was read and may run. */
public sealed interface ReadScript {

    /**
     * Code to run.
     *
     * @param wrapped an expression in parentheses whose value is the asynchronous function to call with the script's
     *     {@code args} and {@code context}, a function that gives a library module by name, and one that promises it
     * @param positions from places in {@code wrapped} to the author's
     */
    record Program(String wrapped, PositionMap positions) implements ReadScript {}

    /**
     * One tool call written as JSON.
     *
     * @param tool name of backend and tool with a dot between, as written
     * @param arguments JSON text
     */
    record ToolCall(String tool, String arguments) implements ReadScript {}
}
