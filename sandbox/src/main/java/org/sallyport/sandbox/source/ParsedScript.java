package org.sallyport.sandbox.source;

/** A script that was read and may run. */
public sealed interface ParsedScript {

    /**
     * Code to run.
     *
     * @param functionExpression an expression in parentheses whose value is the asynchronous function to call with the script's
     *     {@code args} and {@code context}, a function that gives a library module by name, and one that promises it
     * @param positions from places in {@code wrapped} to the author's
     */
    record ScriptProgram(String functionExpression, PositionMap positions) implements ParsedScript {}

    /**
     * One tool call written as JSON.
     *
     * @param tool name of backend and tool with a dot between, as written
     * @param arguments JSON text
     */
    record JsonToolCall(String tool, String arguments) implements ParsedScript {}
}
