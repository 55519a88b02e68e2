package org.sallyport.bean;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;

/** How a tool fails in words that the script's author sees. Whatever else it throws goes to the log, and the author learns only that it failed. */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ToolErrorCode code;
    private final @Nullable String details;

    private ToolException(ToolErrorCode code, String message, @Nullable String details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    /** {@code tool-failed}: it was tried and did not work. */
    public static ToolException failed(String message) {
        return new ToolException(ToolErrorCode.TOOL_FAILED, message, null);
    }

    /** {@code invalid-arguments}: what was asked for makes no sense. */
    public static ToolException invalid(String message) {
        return new ToolException(ToolErrorCode.INVALID_ARGUMENTS, message, null);
    }

    /** {@code backend-unavailable}: what it needs is away, and certainly nothing has happened. It may be tried again, and counts for the breaker. */
    public static ToolException unavailable(String message) {
        return new ToolException(ToolErrorCode.BACKEND_UNAVAILABLE, message, null);
    }

    /** {@code outcome-unknown}: it may have happened, and may not. */
    public static ToolException unknown(String message) {
        return new ToolException(ToolErrorCode.OUTCOME_UNKNOWN, message, null);
    }

    /** The same with more, for programs. */
    public ToolException withDetails(Json more) {
        return new ToolException(code, String.valueOf(getMessage()), more.text());
    }

    /** What the script gets. */
    public ToolErrorCode code() {
        return code;
    }

    /** More, for programs. */
    public Optional<Json> details() {
        return Optional.ofNullable(details).map(Json::new);
    }
}
