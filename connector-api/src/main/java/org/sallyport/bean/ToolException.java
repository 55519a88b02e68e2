package org.sallyport.bean;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fails a tool call with a message that the author of the script sees. Any other exception of a tool is logged, and the
 * author learns only that the tool failed.
 */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why a tool call failed. */
    public enum FailureReason {
        /** The tool tried and failed; the script receives {@code tool-failed}. */
        FAILED,
        /** The arguments make no sense; the script receives {@code invalid-arguments}. */
        INVALID_ARGUMENTS,
        /** The call had no effect; the script receives {@code backend-unavailable}. */
        UNAVAILABLE,
        /** The call may have had an effect; the script receives {@code outcome-unknown}. */
        OUTCOME_UNKNOWN
    }

    private final FailureReason reason;
    private final @Nullable String details;

    private ToolException(FailureReason reason, String message, @Nullable String details) {
        super(message);
        this.reason = reason;
        this.details = details;
    }

    /** {@code tool-failed}: the tool tried and failed. */
    public static ToolException failed(String message) {
        return new ToolException(FailureReason.FAILED, message, null);
    }

    /** {@code invalid-arguments}: the arguments make no sense. */
    public static ToolException invalid(String message) {
        return new ToolException(FailureReason.INVALID_ARGUMENTS, message, null);
    }

    /**
     * {@code backend-unavailable}: a dependency of the tool is unavailable and the call certainly had no effect. The
     * call may be retried, and counts for the circuit breaker.
     */
    public static ToolException unavailable(String message) {
        return new ToolException(FailureReason.UNAVAILABLE, message, null);
    }

    /** {@code outcome-unknown}: the call may or may not have had an effect. */
    public static ToolException unknown(String message) {
        return new ToolException(FailureReason.OUTCOME_UNKNOWN, message, null);
    }

    /** Returns this failure with details for programs. Details that are not valid JSON are left out. */
    public ToolException withDetails(RawJson more) {
        return new ToolException(reason, String.valueOf(getMessage()), more.text());
    }

    /** Returns why the call failed. */
    public FailureReason reason() {
        return reason;
    }

    /** Returns details for programs. */
    public Optional<RawJson> details() {
        return Optional.ofNullable(details).map(RawJson::new);
    }
}
