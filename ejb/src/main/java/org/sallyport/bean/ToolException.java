package org.sallyport.bean;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;

/**
 * Fails a tool call with a message that the author of the script sees. Any other exception of a tool is logged, and the
 * author learns only that the tool failed.
 */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ToolErrorCode code;
    private final @Nullable String details;

    private ToolException(ToolErrorCode code, String message, @Nullable String details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    /** {@code tool-failed}: the tool tried and failed. */
    public static ToolException failed(String message) {
        return new ToolException(ToolErrorCode.TOOL_FAILED, message, null);
    }

    /** {@code invalid-arguments}: the arguments make no sense. */
    public static ToolException invalid(String message) {
        return new ToolException(ToolErrorCode.INVALID_ARGUMENTS, message, null);
    }

    /**
     * {@code backend-unavailable}: a dependency of the tool is unavailable and the call certainly had no effect. The
     * call may be retried, and counts for the circuit breaker.
     */
    public static ToolException unavailable(String message) {
        return new ToolException(ToolErrorCode.BACKEND_UNAVAILABLE, message, null);
    }

    /** {@code outcome-unknown}: the call may or may not have had an effect. */
    public static ToolException unknown(String message) {
        return new ToolException(ToolErrorCode.OUTCOME_UNKNOWN, message, null);
    }

    /** Returns this failure with details for programs. */
    public ToolException withDetails(Json more) {
        return new ToolException(code, String.valueOf(getMessage()), more.text());
    }

    /** Returns the error code that the script receives. */
    public ToolErrorCode code() {
        return code;
    }

    /** Returns details for programs. */
    public Optional<Json> details() {
        return Optional.ofNullable(details).map(Json::new);
    }
}
