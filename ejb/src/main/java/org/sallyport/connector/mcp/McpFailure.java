package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpTransportException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Why a request has no answer that can be used, as far as its transport knows. An answer of the server itself, such as
 * a JSON-RPC error, is no such failure.
 */
sealed interface McpFailure {
    /** The reason for people. */
    String reason();

    /** The request was not sent, so that it had no effect. */
    record RequestNotSent(String reason) implements McpFailure {}

    /** The request was answered, and the answer is longer than its transport accepts. */
    record AnswerTooLong(String reason) implements McpFailure {}

    /** The request was sent or may have been sent, and was not answered. */
    record ConnectionLost(String reason) implements McpFailure {}

    /** A transport of this service failed. */
    final class McpFailureException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient McpFailure failure;

        McpFailureException(McpFailure failure) {
            super(failure.reason());
            this.failure = failure;
        }
    }

    /** Determines the failure that an exception of a transport or of the SDK stands for. */
    static McpFailure of(Throwable exception) {
        String message = FailureMessages.of(exception);
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            if (cause instanceof McpFailureException known) {
                return known.failure;
            }
            if (cause instanceof McpTransportException && isTooLong(FailureMessages.of(cause))) {
                return new AnswerTooLong(FailureMessages.of(cause));
            }
            if (cause instanceof ConnectException
                    || cause instanceof HttpConnectTimeoutException
                    || cause instanceof IllegalStateException) {
                return new RequestNotSent(message);
            }
        }
        return new ConnectionLost(message);
    }

    /** Recognized by its message, because the SDK has no exception type for it. */
    private static boolean isTooLong(String message) {
        return message.contains("exceeds the maximum allowed size");
    }

    /** Whether the failure shows that no process listens at the address; a slow server fails with other exceptions. */
    static boolean isConnectFailure(@Nullable Throwable exception) {
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return true;
            }
        }
        return false;
    }
}
