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
public final class Origin implements AutoCloseable {
    private final URI base;
    private final Exchange exchange;

    /** Finds the addresses of a name. */
    @FunctionalInterface
    public interface Names {
        InetAddress[] of(String name) throws UnknownHostException;
    }

    /** A request on its way, to be ended from outside. */
    public static final class Request {
        private final Exchange.Handle handle = new Exchange.Handle();

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
    public record Answer(int status, String body, Optional<String> retryAfter) {}

    /** The answer has more bytes than it may have. */
    public static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        TooLongException(String message) {
            super(message);
        }
    }

    /** The request may not leave. */
    public static final class DeniedException extends IOException {
        private static final long serialVersionUID = 1L;

        DeniedException(String message) {
            super(message);
        }
    }

    /** How a server is spoken to.
     *
     * @param inside whether addresses that are not public may be called
     * @param concurrent requests at one time
     * @param mostBytes of an answer, once it is unpacked
     * @param silence how long it may say nothing
     */
    public record Manner(boolean inside, int concurrent, int mostBytes, Duration silence) {}

    /** @param base one that {@link #fault} finds nothing wrong with */
    public Origin(String base, Manner manner, Names names) {
        this.base = URI.create(HttpOperations.plain(base));
        this.exchange = new Exchange(
                guard(this.base, manner.inside(), names),
                manner.concurrent(),
                manner.mostBytes(),
                Timeout.of(manner.silence()));
    }

    private static EgressGuard guard(URI base, boolean inside, Names names) {
        return new EgressGuard(List.of(base.getHost()), inside, names::of);
    }

    /** What is wrong with {@code base}, if anything is. */
    public static Optional<String> fault(String base) {
        try {
            URI uri = new URI(base);
            if (uri.getHost() == null) {
                return Optional.of("must be an http or https URL with a host");
            }
            guard(uri, true, name -> new InetAddress[0]).checked(base);
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
    public Answer ask(String method, String path, Map<String, String> headers, Optional<String> body, Request request)
            throws IOException {
        try {
            Exchange.Response response = exchange.once(URI.create(base + path), method, headers, body, request.handle);
            return new Answer(
                    response.status(), new String(response.body(), StandardCharsets.UTF_8), response.retryAfter());
        } catch (EgressDeniedException e) {
            throw new DeniedException(String.valueOf(e.getMessage()));
        } catch (UrlTemplate.BadArgumentException e) {
            throw new DeniedException(String.valueOf(e.getMessage()));
        } catch (Exchange.TooLargeException e) {
            throw new TooLongException("it answers more than " + e.limit() + " bytes");
        } catch (IOException e) {
            if (e.getCause() instanceof EgressDeniedException denied) {
                throw new DeniedException(String.valueOf(denied.getMessage()));
            }
            throw e instanceof UnknownHostException ? new IOException("its host has no address", e) : e;
        }
    }

    @Override
    public void close() {
        exchange.close();
    }
}
