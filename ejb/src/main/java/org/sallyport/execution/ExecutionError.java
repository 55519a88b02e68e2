package org.sallyport.execution;

import java.util.Optional;

/**
 * The error of an execution and its position in the author's source.
 *
 * @param code a stable name, of an {@link ErrorCode} or of an uncaught tool error
 * @param origin the origin of the failure
 * @param message a message that is safe to show
 * @param line 1-based line in the author's source, 0 when unknown
 * @param column 1-based column, 0 when unknown
 * @param stack guest frames only; may be empty
 * @param tool the tool whose error was not caught, {@code backend.tool}
 * @param call ordinal of that call, 0 when none
 */
public record ExecutionError(
        String code,
        ErrorOrigin origin,
        String message,
        int line,
        int column,
        String stack,
        Optional<String> tool,
        long call) {

    /** Returns an error without a position. */
    public static ExecutionError of(ErrorCode code, String message) {
        return new ExecutionError(code.code(), code.origin(), message, 0, 0, "", Optional.empty(), 0);
    }
}
