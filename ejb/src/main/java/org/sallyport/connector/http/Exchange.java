package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * Sends requests where the guard lets them, dialling the very addresses that it checked, follows redirects only as it allows,
 * and reads no more of an answer than it may have. Thread-safe.
 */
final class Exchange implements AutoCloseable {
    private static final int MOST_REDIRECTS = 5;
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final EgressGuard guard;
    private final int mostBytes;
    private final CloseableHttpClient client;

    /** What ends a request from outside. */
    static final class Handle {
        private volatile @Nullable HttpUriRequestBase request;
        private volatile boolean aborted;
        private volatile boolean sent;

        private void begin(HttpUriRequestBase next) throws IOException {
            request = next;
            if (aborted) {
                throw new IOException("it was withdrawn");
            }
        }

        void abort() {
            aborted = true;
            HttpUriRequestBase current = request;
            if (current != null) {
                current.abort();
            }
        }

        /** Whether the server may have heard of it. */
        boolean sent() {
            return sent;
        }
    }

    /** An answer is longer than it may be. */
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;
        private final int limit;

        TooLargeException(int limit) {
            super("it has more than " + limit + " bytes");
            this.limit = limit;
        }

        int limit() {
            return limit;
        }
    }

    /** What came back. */
    @SuppressWarnings("ArrayRecordComponent")
    record Response(
            int status,
            Optional<ContentType> type,
            byte[] body,
            Optional<String> location,
            Optional<String> retryAfter) {}

    /** @param mostBytes of an answer, once it is unpacked */
    Exchange(EgressGuard guard, int concurrent, int mostBytes, Timeout timeout) {
        this.guard = guard;
        this.mostBytes = mostBytes;
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(new Checked(guard))
                .setMaxConnTotal(concurrent)
                .setMaxConnPerRoute(concurrent)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(timeout)
                        .setSocketTimeout(timeout)
                        .build())
                .build();
        this.client = HttpClients.custom()
                .setConnectionManager(connections)
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(timeout)
                        .setProtocolUpgradeEnabled(false)
                        .build())
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .setUserAgent("sallyport")
                .build();
    }

    /** The guard in the place where names become addresses, so that what was checked is what is dialled. */
    private record Checked(EgressGuard guard) implements DnsResolver {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            return guard.addresses(host);
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }

    /** Gets what is there, without credentials. */
    Response fetch(String url) throws IOException {
        return follow(guard.checked(url), "GET", (request, same) -> {}, new Handle());
    }

    /** Asks once; a redirect is an answer like any other. */
    Response once(URI uri, String method, Map<String, String> headers, Optional<String> body, Handle handle)
            throws IOException {
        HttpUriRequestBase request = new HttpUriRequestBase(method, uri);
        headers.forEach((name, value) -> header(request, name, value));
        body.ifPresent(text -> request.setEntity(new StringEntity(text, ContentType.APPLICATION_JSON)));
        handle.begin(request);
        return send(request, handle);
    }

    /** Fills a request; is told whether it goes to where the first one went. */
    private interface Dressing {
        void dress(HttpUriRequestBase request, boolean sameOrigin);
    }

    /**
     * What a request has besides what the script gives, where it goes to the backend's own host.
     *
     * @param headers as configured
     * @param trace in which trace it is made; a script cannot name another
     * @param key the same each time that it is made, so that a server can tell
     */
    record Added(Map<String, String> headers, Optional<TraceHeaders> trace, String key) {}

    Response make(String base, Operation operation, JsonNode arguments, Added added, Handle handle) throws IOException {
        URI uri = guard.checked(base + operation.path().path(arguments) + query(operation, arguments));
        return follow(
                uri,
                operation.method(),
                (request, same) -> {
                    if (same) {
                        added.headers().forEach((name, value) -> header(request, name, value));
                    }
                    operation
                            .headers()
                            .forEach((name, value) ->
                                    value.plain(arguments).ifPresent(text -> header(request, name, text)));
                    if (!operation.reads() && !request.containsHeader(IDEMPOTENCY_KEY)) {
                        header(request, IDEMPOTENCY_KEY, added.key());
                    }
                    added.trace().ifPresent(trace -> place(request, trace, same));
                    operation
                            .content(arguments)
                            .ifPresent(body -> request.setEntity(new StringEntity(body, ContentType.APPLICATION_JSON)));
                },
                handle);
    }

    /** Last, and in place of any other. */
    private static void place(HttpUriRequestBase request, TraceHeaders trace, boolean same) {
        request.removeHeaders(TraceHeaders.TRACEPARENT);
        request.removeHeaders(TraceHeaders.TRACESTATE);
        if (same) {
            trace.each((name, value) -> header(request, name, value));
        }
    }

    private Response follow(URI first, String method, Dressing dressing, Handle handle) throws IOException {
        URI uri = first;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            HttpUriRequestBase request = new HttpUriRequestBase(method, uri);
            dressing.dress(request, sameOrigin(first, uri));
            handle.begin(request);
            Response response = send(request, handle);
            Optional<String> location = response.location();
            if (response.status() / 100 != 3 || location.isEmpty()) {
                return response;
            }
            if (!method.equals("GET") && !method.equals("HEAD")) {
                throw new IOException("it was redirected, and only what reads follows");
            }
            uri = guard.checked(target(uri, location.get()));
        }
        throw new IOException("it was redirected more than " + MOST_REDIRECTS + " times");
    }

    private static String target(URI from, String location) {
        try {
            return from.resolve(location).toString();
        } catch (IllegalArgumentException e) {
            throw new EgressDeniedException("it was redirected to what is no URL");
        }
    }

    private static boolean sameOrigin(URI one, URI other) {
        return one.getScheme().equalsIgnoreCase(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && one.getPort() == other.getPort();
    }

    private static void header(HttpUriRequestBase request, String name, String value) {
        if (!HEADER_NAME.matcher(name).matches()
                || value.chars().anyMatch(c -> (c < 0x20 && c != '\t') || c == 0x7f || c > 0xff)) {
            throw new UrlTemplate.BadArgumentException(
                    "the header '" + name + "' would have characters it cannot have");
        }
        request.setHeader(name, value);
    }

    private static String query(Operation operation, JsonNode arguments) {
        StringBuilder query = new StringBuilder();
        operation
                .query()
                .forEach((name, value) -> value.each(arguments)
                        .forEach(text -> query.append(query.length() == 0 ? '?' : '&')
                                .append(UrlTemplate.encoded(name))
                                .append('=')
                                .append(UrlTemplate.encoded(text))));
        return query.toString();
    }

    private Response send(HttpUriRequestBase request, Handle handle) throws IOException {
        try {
            return client.execute(request, response -> {
                handle.sent = true;
                return read(request, response);
            });
        } catch (EgressDeniedException e) {
            throw e;
        } catch (org.apache.hc.client5.http.HttpHostConnectException
                | UnknownHostException
                | org.apache.hc.client5.http.ConnectTimeoutException e) {
            throw e;
        } catch (IOException e) {
            handle.sent = true;
            throw e;
        } catch (IllegalStateException e) {
            if (!handle.aborted) {
                throw e;
            }
            // Ended between two steps: the client finds its connection released.
            handle.sent = true;
            throw new IOException("it was withdrawn", e);
        }
    }

    private Response read(HttpUriRequestBase request, ClassicHttpResponse response) throws IOException {
        Header location = response.getFirstHeader("Location");
        HttpEntity entity = response.getEntity();
        byte[] body = new byte[0];
        Optional<ContentType> type = Optional.empty();
        if (entity != null) {
            type = Optional.ofNullable(ContentType.parseLenient(entity.getContentType()));
            try (InputStream in = entity.getContent()) {
                body = in.readNBytes(mostBytes + 1);
                if (body.length > mostBytes) {
                    request.abort(); // the rest is not even read away
                    throw new TooLargeException(mostBytes);
                }
            }
        }
        return new Response(
                response.getCode(),
                type,
                body,
                Optional.ofNullable(location).map(Header::getValue),
                Optional.ofNullable(response.getFirstHeader("Retry-After")).map(Header::getValue));
    }

    @Override
    public void close() {
        client.close(CloseMode.IMMEDIATE);
    }
}
