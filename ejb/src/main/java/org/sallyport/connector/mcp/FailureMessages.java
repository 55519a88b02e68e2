package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpError;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Formats exceptions as messages for people. */
final class FailureMessages {
    private static final int MAX_LENGTH = 500;

    private FailureMessages() {}

    static String of(Throwable failure) {
        @Nullable Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof CompletionException
                || (failure.getClass() == RuntimeException.class && cause != null);
        if (wrapper && cause != null) {
            return of(cause);
        }
        if (failure instanceof TimeoutException) {
            return "it did not answer in time";
        }
        String message = messageOf(failure);
        String text = message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
        return text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text;
    }

    /** Errors of the SDK itself name the details in their data, such as the version that it does not support. */
    private static @Nullable String messageOf(Throwable failure) {
        return failure instanceof McpError error
                        && error.getJsonRpcError() != null
                        && error.getJsonRpcError().data() instanceof String data
                ? data
                : failure.getMessage();
    }
}
