package org.sallyport.execution;

import java.util.Optional;

/**
 * What went wrong, and where in the author's text.
 *
 * @param code why, a stable name (of an {@link ErrorCode}, or of a tool error that went uncaught)
 * @param origin on whose side
 * @param message words safe to show
 * @param line 1-based line in the author's text, 0 when unknown
 * @param column 1-based column, 0 when unknown
 * @param stack guest frames only; may be empty
 * @param tool the tool whose error went uncaught, {@code backend.tool}
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

    /** An error without a place. */
    public static ExecutionError of(ErrorCode code, String message) {
        return new ExecutionError(code.code(), code.origin(), message, 0, 0, "", Optional.empty(), 0);
    }
}
