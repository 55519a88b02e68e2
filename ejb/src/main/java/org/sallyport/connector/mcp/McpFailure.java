package org.sallyport.connector.mcp;

import java.net.ConnectException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
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

    /**
     * The request was answered with an HTTP status other than success.
     *
     * @param details what programs may need: {@code status}, and members that depend on it
     */
    record RequestRefused(int status, String reason, Map<String, Object> details) implements McpFailure {
        /** Member of the details: how long the server wants callers to wait, in milliseconds. */
        static final String RETRY_AFTER_MEMBER = "retryAfterMillis";

        /** Member of the details: the code of the JSON-RPC error in the body. */
        static final String CODE_MEMBER = "code";

        private static final int TOO_MANY_REQUESTS = 429;
        private static final int SERVER_ERROR = 500;
        private static final Duration CREDENTIALS_PAUSE = Duration.ofSeconds(60);
        private static final Duration MAX_PAUSE = Duration.ofMinutes(10);

        public RequestRefused {
            details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
        }

        /** Whether the server does not accept the credentials, or they do not suffice. */
        boolean isForCredentials() {
            return status == 401 || status == 403;
        }

        /** Whether the server refuses all requests of this client for now. */
        boolean isForAllRequests() {
            return isForCredentials() || status == TOO_MANY_REQUESTS;
        }

        /**
         * Whether the server itself answered, and so is there: with the status of an invalid request, or with an error
         * of JSON-RPC. The statuses of gateways say nothing of the server.
         */
        boolean showsLiveServer() {
            return status >= 400 && status < 500 || status == SERVER_ERROR && details.containsKey(CODE_MEMBER);
        }

        /**
         * Whether the address takes no messages over Streamable HTTP. Servers with the transport of version 2024-11-05
         * answer so: they take messages at an address that they send first.
         */
        boolean mayBeOfOlderTransport() {
            return (status == 404 || status == 405) && !details.containsKey(CODE_MEMBER);
        }

        /** How long to wait at least before the next attempt to connect. */
        Duration reconnectPause() {
            if (isForCredentials()) {
                return CREDENTIALS_PAUSE;
            }
            Duration requested = details.get(RETRY_AFTER_MEMBER) instanceof Number millis
                    ? Duration.ofMillis(millis.longValue())
                    : Duration.ZERO;
            return requested.compareTo(MAX_PAUSE) < 0 ? requested : MAX_PAUSE;
        }
    }

    /** The request was sent or may have been sent, and will not be answered. */
    record RequestUnanswered(String reason) implements McpFailure {}

    /** A transport of this service failed. */
    final class McpFailureException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient McpFailure failure;

        McpFailureException(McpFailure failure) {
            super(failure.reason());
            this.failure = failure;
        }

        McpFailureException(McpFailure failure, Throwable cause) {
            super(failure.reason(), cause);
            this.failure = failure;
        }
    }

    /** Determines the failure that an exception of a transport or of the SDK stands for. */
    static McpFailure of(Throwable exception) {
        String message = FailureMessages.of(exception);
        boolean illegalState = false;
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            if (cause instanceof McpFailureException known) {
                return known.failure;
            }
            illegalState |= cause instanceof IllegalStateException;
        }
        return illegalState ? new RequestNotSent(message) : new RequestUnanswered(message);
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
