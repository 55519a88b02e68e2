package org.sallyport.connector.mcp;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sends requests to the URL of one server, with the configured headers. Never blocks; follows no redirects. Cancelling
 * a returned future ends the request and the reading of its response. Thread-safe.
 */
final class McpHttpClient {
    static final String EVENT_STREAM = "text/event-stream";
    private static final Duration MAX_CONNECT_TIME = Duration.ofSeconds(10);
    private static final Duration DELETE_TIMEOUT = Duration.ofSeconds(5);
    private static final String ACCEPT = "Accept";

    private final HttpClient httpClient;
    private final URI url;
    private final Map<String, String> headers;
    private final int maxMessageBytes;

    /**
     * @param headers sent with each request; {@link IllegalArgumentException} if one cannot be sent
     * @param maxMessageBytes maximum length of a message of the server
     */
    McpHttpClient(HttpClient httpClient, URI url, Map<String, String> headers, int maxMessageBytes) {
        this.httpClient = httpClient;
        this.url = url;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        this.maxMessageBytes = maxMessageBytes;
        this.headers.forEach(McpHttpClient::checkHeader);
    }

    private static void checkHeader(String name, String value) {
        try {
            HttpRequest.newBuilder().setHeader(name, value);
        } catch (IllegalArgumentException e) {
            // Without the cause, which shows the value.
            throw new IllegalArgumentException(
                    "the header '" + name + "' cannot be sent: its name or its value is not allowed");
        }
    }

    /** Returns a client for the requests to one server. It is used for all connections, which it keeps open. */
    static HttpClient newHttpClient(Duration startTimeout) {
        return HttpClient.newBuilder()
                // With HTTP/2, a server that retires a connection (GOAWAY) would end all open requests on it.
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(startTimeout.compareTo(MAX_CONNECT_TIME) < 0 ? startTimeout : MAX_CONNECT_TIME)
                .build();
    }

    int maxMessageBytes() {
        return maxMessageBytes;
    }

    URI url() {
        return url;
    }

    /** The URL for messages, without its query, which may have credentials. */
    String shownUrl() {
        return url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath();
    }

    CompletableFuture<HttpResponse<Void>> post(
            McpHttpSession session, byte[] message, HttpResponse.BodyHandler<Void> handler) {
        return httpClient.sendAsync(
                configured(request(session)
                                .setHeader("Content-Type", "application/json")
                                .setHeader(ACCEPT, "application/json, " + EVENT_STREAM)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(message)))
                        .build(),
                handler);
    }

    /** Opens a stream of messages; with the id of an event, the stream continues behind this event. */
    CompletableFuture<HttpResponse<Void>> openStream(
            McpHttpSession session, Optional<String> lastEventId, HttpResponse.BodyHandler<Void> handler) {
        HttpRequest.Builder request = request(session).setHeader(ACCEPT, EVENT_STREAM);
        lastEventId.ifPresent(id -> request.setHeader("Last-Event-ID", id));
        return httpClient.sendAsync(configured(request).GET().build(), handler);
    }

    /** Ends a session, if the server lets clients do so; failures are of no consequence. */
    void deleteSession(McpHttpSession session) {
        httpClient.sendAsync(
                configured(request(session)).DELETE().timeout(DELETE_TIMEOUT).build(),
                response -> new IncrementalBodySubscriber(piece -> true).endAfter(DELETE_TIMEOUT));
    }

    private HttpRequest.Builder request(McpHttpSession session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).setHeader("User-Agent", "sallyport");
        session.forEachHeader(request::setHeader);
        return request;
    }

    /** Configured headers take precedence over those of the protocol. */
    private HttpRequest.Builder configured(HttpRequest.Builder request) {
        headers.forEach(request::setHeader);
        return request;
    }
}
