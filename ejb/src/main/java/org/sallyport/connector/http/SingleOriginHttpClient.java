package org.sallyport.connector.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hc.core5.util.Timeout;

/**
 * One server, which JSON is exchanged with. Nothing goes to any other: redirects are not followed, and the addresses that were checked are those
 * that are dialled. Thread-safe.
 */
public final class SingleOriginHttpClient implements AutoCloseable {
    private final URI baseUri;
    private final GuardedHttpClient httpClient;

    /** Finds the addresses of a name. */
    @FunctionalInterface
    public interface HostResolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    /** A request on its way, to be ended from outside. */
    public static final class AbortableRequest {
        private final GuardedHttpClient.RequestHandle handle = new GuardedHttpClient.RequestHandle();

        /** Ends it; whoever waits for the answer gets an {@link IOException}. */
        public void abort() {
            handle.abort();
        }

        /** Whether the server may have heard of it. */
        public boolean sent() {
            return handle.sent();
        }
    }

    /**
     * What came back.
     *
     * @param status of HTTP
     * @param body as text
     * @param retryAfter the header of that name
     */
    public record OriginResponse(int status, String body, Optional<String> retryAfter) {}

    /** The answer has more bytes than it may have. */
    public static final class OriginResponseTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        OriginResponseTooLongException(String message) {
            super(message);
        }
    }

    /** The request may not leave. */
    public static final class RequestDeniedException extends IOException {
        private static final long serialVersionUID = 1L;

        RequestDeniedException(String message) {
            super(message);
        }
    }

    /** How a server is spoken to.
     *
     * @param privateAllowed whether addresses that are not public may be called
     * @param maxConcurrent requests at one time
     * @param maxResponseBytes of an answer, once it is unpacked
     * @param timeout how long it may say nothing
     */
    public record OriginClientOptions(
            boolean privateAllowed, int maxConcurrent, int maxResponseBytes, Duration timeout) {}

    /** @param base one that {@link #findUrlProblem} finds nothing wrong with */
    public SingleOriginHttpClient(String base, OriginClientOptions manner, HostResolver names) {
        this.baseUri = URI.create(HttpBackendType.withoutTrailingSlash(base));
        this.httpClient = new GuardedHttpClient(
                guard(this.baseUri, manner.privateAllowed(), names),
                manner.maxConcurrent(),
                manner.maxResponseBytes(),
                Timeout.of(manner.timeout()));
    }

    private static EgressGuard guard(URI base, boolean inside, HostResolver names) {
        return new EgressGuard(List.of(base.getHost()), inside, names::resolve);
    }

    /** What is wrong with {@code base}, if anything is. */
    public static Optional<String> findUrlProblem(String base) {
        try {
            URI uri = new URI(base);
            if (uri.getHost() == null) {
                return Optional.of("must be an http or https URL with a host");
            }
            guard(uri, true, name -> new InetAddress[0]).parseAllowed(base);
            return uri.getRawQuery() == null && uri.getRawFragment() == null
                    ? Optional.empty()
                    : Optional.of("must have no query and no fragment");
        } catch (java.net.URISyntaxException e) {
            return Optional.of("is no URL");
        } catch (EgressDeniedException e) {
            return Optional.of("cannot be called: " + e.getMessage());
        }
    }

    /**
     * Asks once, and waits for the answer.
     *
     * @param path below the base, beginning with a slash
     * @param headers without line breaks
     * @param body JSON
     */
    public OriginResponse send(
            String method, String path, Map<String, String> headers, Optional<String> body, AbortableRequest request)
            throws IOException {
        try {
            GuardedHttpClient.GuardedHttpResponse response =
                    httpClient.sendOnce(URI.create(baseUri + path), method, headers, body, request.handle);
            return new OriginResponse(
                    response.status(), new String(response.body(), StandardCharsets.UTF_8), response.retryAfter());
        } catch (EgressDeniedException e) {
            throw new RequestDeniedException(String.valueOf(e.getMessage()));
        } catch (UrlTemplate.TemplateArgumentException e) {
            throw new RequestDeniedException(String.valueOf(e.getMessage()));
        } catch (GuardedHttpClient.ResponseTooLargeException e) {
            throw new OriginResponseTooLongException("it answers more than " + e.limit() + " bytes");
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
