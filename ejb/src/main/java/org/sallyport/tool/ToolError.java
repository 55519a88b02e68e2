package org.sallyport.tool;

import java.util.Optional;

/**
 * A failed call.
 *
 * @param code why
 * @param message words for the author; safe to show
 * @param details more, for programs
 */
public record ToolError(ToolErrorCode code, String message, Optional<Json> details) {
    public ToolError(ToolErrorCode code, String message) {
        this(code, message, Optional.empty());
    }
}
