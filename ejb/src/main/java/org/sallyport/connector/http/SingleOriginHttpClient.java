package org.sallyport.connector.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hc.core5.util.Timeout;

/**
 * Exchanges JSON with one server. Sends nothing to other servers: redirects are not followed, and the client connects
 * only to the addresses that were checked. Thread-safe.
 */
public final class SingleOriginHttpClient implements AutoCloseable {
    private final URI baseUri;
    private final GuardedHttpClient httpClient;

    /** Resolves a host name to addresses. */
    @FunctionalInterface
    public interface HostResolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    /** A request that another thread can abort. */
    public static final class AbortableRequest {
        private final GuardedHttpClient.RequestHandle handle = new GuardedHttpClient.RequestHandle();

        /** Aborts the request; its sender gets an {@link IOException}. */
        public void abort() {
            handle.abort();
        }

        /** Whether the server may have received the request. */
        public boolean sent() {
            return handle.sent();
        }
    }

    /**
     * A response.
     *
     * @param status HTTP status
     * @param body body as text
     * @param retryAfter value of the header {@code Retry-After}
     */
    public record OriginResponse(int status, String body, Optional<String> retryAfter) {}

    /** The response exceeds the size limit. */
    public static final class OriginResponseTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        OriginResponseTooLongException(String message) {
            super(message);
        }
    }

    /** The egress guard does not allow the request. */
    public static final class RequestDeniedException extends IOException {
        private static final long serialVersionUID = 1L;

        RequestDeniedException(String message) {
            super(message);
        }
    }

    /**
     * Options of the client.
     *
     * @param privateAllowed whether addresses that are not public may be called
     * @param maxConcurrent maximum number of concurrent requests
     * @param maxResponseBytes maximum size of a response after decompression
     * @param timeout maximum time without data from the server
     */
    public record OriginClientOptions(
            boolean privateAllowed, int maxConcurrent, int maxResponseBytes, Duration timeout) {}

    /** @param base a URL for which {@link #findUrlProblem} returns no problem */
    public SingleOriginHttpClient(String base, OriginClientOptions manner, HostResolver names) {
        this.baseUri = parse(HttpBackendType.withoutTrailingSlash(base));
        this.httpClient = new GuardedHttpClient(
                guard(this.baseUri, manner.privateAllowed(), names),
                manner.maxConcurrent(),
                manner.maxResponseBytes(),
                Timeout.of(manner.timeout()));
    }

    private static URI parse(String base) {
        try {
            return UrlParser.parse(base);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static EgressGuard guard(URI base, boolean inside, HostResolver names) {
        return new EgressGuard(List.of(base.getHost()), inside, names::resolve);
    }

    /** Returns why {@code base} is not a valid base URL; empty if it is valid. */
    public static Optional<String> findUrlProblem(String base) {
        try {
            URI uri = UrlParser.parse(base);
            if (uri.getHost() == null) {
                return Optional.of("must be an http or https URL with a host");
            }
            guard(uri, true, name -> new InetAddress[0]).parseAllowed(base);
            return uri.getRawQuery() == null && uri.getRawFragment() == null
                    ? Optional.empty()
                    : Optional.of("must have no query and no fragment");
        } catch (URISyntaxException e) {
            return Optional.of(
                    "cannot be called: " + EgressDeniedException.invalidUrl(e).getMessage());
        } catch (EgressDeniedException e) {
            return Optional.of("cannot be called: " + e.getMessage());
        }
    }

    /**
     * Sends one request, and blocks until the response is read.
     *
     * @param path path below the base URL, beginning with a slash
     * @param headers names and values without line breaks
     * @param body JSON
     */
    public OriginResponse send(
            String method, String path, Map<String, String> headers, Optional<String> body, AbortableRequest request)
            throws IOException {
        try {
            GuardedHttpClient.GuardedHttpResponse response = httpClient.sendOnce(
                    URI.create(baseUri + path),
                    method,
                    headers,
                    body.map(json -> new EncodedBody(
                            BodyFormat.UNDECLARED.contentType(), json.getBytes(StandardCharsets.UTF_8))),
                    request.handle);
            return new OriginResponse(
                    response.status(),
                    new String(response.body(), StandardCharsets.UTF_8),
                    response.header("retry-after"));
        } catch (EgressDeniedException | UnencodableArgumentException e) {
            throw new RequestDeniedException(String.valueOf(e.getMessage()));
        } catch (GuardedHttpClient.ResponseTooLargeException e) {
            throw new OriginResponseTooLongException("it answers " + e.getMessage());
        } catch (IOException e) {
            if (e.getCause() instanceof EgressDeniedException denied) {
                throw new RequestDeniedException(String.valueOf(denied.getMessage()));
            }
            throw e instanceof UnknownHostException ? new IOException("its host has no address", e) : e;
        }
    }

    @Override
    public void close() {
        httpClient.close();
    }
}
