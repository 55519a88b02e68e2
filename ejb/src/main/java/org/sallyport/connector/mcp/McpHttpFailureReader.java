package org.sallyport.connector.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URISyntaxException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.sallyport.connector.http.RetryAfterHeader;
import org.sallyport.connector.http.UrlParser;
import org.sallyport.tool.PlainText;

/** Reads why a request over HTTP has no answer: from the response, or from the exception of the HTTP client. */
final class McpHttpFailureReader {
    private static final int MAX_SHOWN_CHARS = 300;
    private static final int MAX_BODY_CHARS = 2_000;
    private static final Pattern RESOURCE_METADATA =
            Pattern.compile("(?i)\\bresource_metadata\\s*=\\s*(?:\"([^\"]*)\"|([^\\s,]+))");

    private final McpHttpClient client;

    McpHttpFailureReader(McpHttpClient client) {
        this.client = client;
    }

    /**
     * Whether the server does not know the session, and so did not accept the request. An error that answers the
     * request itself must say so in its message: the server has read the request, and may have had another reason.
     */
    static boolean isSessionUnknown(Object requestId, McpHttpResponse response) {
        if (response.status() != 404 && response.status() != 400) {
            return false;
        }
        String body = response.body();
        boolean answersRequest =
                ResponseIdScanner.findResponseId(body).filter(requestId::equals).isPresent();
        String reason = answersRequest
                ? findJsonRpcError(body)
                        .map(error -> String.valueOf(error.get("message")))
                        .orElse("")
                : body;
        return response.status() == 404 && !answersRequest
                || reason.toLowerCase(Locale.ROOT).contains("session");
    }

    /** Returns the error of a JSON-RPC response; empty if the text is none. */
    static Optional<Map<?, ?>> findJsonRpcError(String body) {
        try {
            return McpJson.MAPPER.readValue(body, Object.class) instanceof Map<?, ?> message
                            && message.get("error") instanceof Map<?, ?> error
                            && error.containsKey("code")
                    ? Optional.of(error)
                    : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** Reads a response with a status other than success. */
    McpFailure.RequestRefused readRefusal(McpHttpResponse response) {
        int status = response.status();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("status", status);
        StringBuilder reason = new StringBuilder(client.shownUrl() + " answered with status " + status);
        if (status < 400) {
            response.header("Location").ifPresent(location -> {
                String target = target(location);
                details.put("location", target);
                reason.append(" and the location '").append(target).append("': redirects are not followed");
            });
        }
        if (status == 401 || status == 403) {
            reason.append(": the credentials are not accepted");
            response.header("WWW-Authenticate").ifPresent(challenge -> {
                details.put("wwwAuthenticate", PlainText.truncate(challenge, MAX_BODY_CHARS));
                Matcher metadata = RESOURCE_METADATA.matcher(challenge);
                if (metadata.find()) {
                    String address = metadata.group(1) == null ? metadata.group(2) : metadata.group(1);
                    details.put("resourceMetadata", PlainText.truncate(address, MAX_BODY_CHARS));
                    reason.append("; resource_metadata: ").append(PlainText.singleLine(address, MAX_SHOWN_CHARS));
                }
            });
        }
        RetryAfterHeader.parseMillis(response.header("Retry-After"), response.header("Date"))
                .ifPresent(millis -> details.put(McpFailure.RequestRefused.RETRY_AFTER_MEMBER, millis));
        findJsonRpcError(response.body())
                .ifPresentOrElse(
                        error -> addError(error, details, reason),
                        () -> details.put(
                                "body", PlainText.truncate(withoutOwnQuery(response.body()), MAX_BODY_CHARS)));
        return new McpFailure.RequestRefused(status, reason.toString(), details);
    }

    private static void addError(Map<?, ?> error, Map<String, Object> details, StringBuilder reason) {
        for (String member : new String[] {"code", "data"}) {
            Object value = error.get(member);
            if (value != null) {
                details.put(member, value);
            }
        }
        if (error.get("message") instanceof String message && !message.isBlank()) {
            reason.append(": ").append(PlainText.singleLine(message, MAX_SHOWN_CHARS));
        }
    }

    private String target(String location) {
        String shown;
        try {
            shown = UrlParser.resolveLocation(client.url(), location).toString();
        } catch (URISyntaxException e) {
            shown = location;
        }
        return PlainText.singleLine(withoutOwnQuery(shown), MAX_SHOWN_CHARS);
    }

    /** Servers repeat the query of the configured URL, which may have credentials, in the target of a redirect. */
    private String withoutOwnQuery(String text) {
        String query = client.url().getRawQuery();
        return query == null || query.isEmpty() ? text : text.replace("?" + query, "?…");
    }

    /** Reads the exception of a request that has no response, or only a part of it. */
    McpFailure.McpFailureException readException(Throwable exception) {
        Throwable cause = exception instanceof CompletionException && exception.getCause() != null
                ? exception.getCause()
                : exception;
        boolean notSent = cause instanceof ConnectException
                || cause instanceof HttpConnectTimeoutException
                || cause instanceof SSLHandshakeException;
        return new McpFailure.McpFailureException(
                notSent
                        ? new McpFailure.RequestNotSent(client.shownUrl() + " cannot be reached: " + describe(cause))
                        : new McpFailure.RequestUnanswered(
                                "the connection to " + client.shownUrl() + " was lost: " + describe(cause)),
                cause);
    }

    private static String describe(Throwable failure) {
        if (failure.getCause() instanceof UnresolvedAddressException) {
            return "its host has no address";
        }
        return failure instanceof IOException && failure.getMessage() == null && failure.getCause() != null
                ? FailureMessages.of(failure.getCause())
                : FailureMessages.of(failure);
    }

    /** Describes a response with a status of success that is no answer to a request. */
    String describeNoAnswer(McpHttpResponse response) {
        String what = response.body().isBlank() && !response.tooLong()
                ? " and without an answer"
                : " and the content type '" + PlainText.singleLine(response.mediaType(), MAX_SHOWN_CHARS)
                        + "', which is no answer";
        return client.shownUrl() + " answered with status " + response.status() + what;
    }
}
