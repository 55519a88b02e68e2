package org.sallyport.connector.mcp;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Failures in words. */
final class Reasons {
    private static final int LONGEST = 500;

    private Reasons() {}

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
        String message = failure.getMessage();
        String text = message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
        return text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
    }
}
