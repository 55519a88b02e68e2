package org.sallyport.tool;

import java.util.Optional;

/**
 * The error of a failed call.
 *
 * @param code the reason
 * @param message a message for the author; safe to show
 * @param details further details for programs
 */
public record ToolError(ToolErrorCode code, String message, Optional<Json> details) {
    public ToolError(ToolErrorCode code, String message) {
        this(code, message, Optional.empty());
    }
}
