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
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
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
 * Sends HTTP requests that the egress guard allows, and connects only to the addresses that the guard checked. Follows
 * redirects only if the guard allows their target, and limits the size of responses. Thread-safe.
 */
final class GuardedHttpClient implements AutoCloseable {
    private static final int MAX_REDIRECTS = 5;
    private static final long MAX_CONNECT_MILLIS = 10_000;
    /** Attribute of the exchange with its {@link RequestHandle}. */
    private static final String HANDLE_ATTRIBUTE = "sallyport.request-handle";

    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final EgressGuard guard;
    private final int maxResponseBytes;
    private final CloseableHttpClient client;

    /** Aborts a request from another thread. */
    static final class RequestHandle {
        private volatile @Nullable HttpUriRequestBase request;
        private volatile boolean aborted;
        private volatile boolean sent;

        private void attach(HttpUriRequestBase next) throws IOException {
            request = next;
            throwIfAborted();
        }

        private void throwIfAborted() throws IOException {
            if (aborted) {
                throw new IOException("it was cancelled");
            }
        }

        /** Called on an open connection, before the request is sent. */
        private synchronized void beginSending() throws IOException {
            throwIfAborted();
            sent = true;
        }

        /** Aborts the request. If it is not sent yet, it never will be: {@link #sent} is final then. */
        void abort() {
            synchronized (this) {
                aborted = true;
            }
            HttpUriRequestBase current = request;
            if (current != null) {
                current.abort();
            }
        }

        /** Whether the server may have received the request. */
        boolean sent() {
            return sent;
        }
    }

    /** A response exceeds the size limit. */
    static final class ResponseTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;
        private final int limit;

        ResponseTooLargeException(int limit) {
            super("it has more than " + limit + " bytes");
            this.limit = limit;
        }

        int limit() {
            return limit;
        }
    }

    /** A response that was read completely. */
    @SuppressWarnings("ArrayRecordComponent")
    record GuardedHttpResponse(
            int status,
            Optional<ContentType> contentType,
            byte[] body,
            Optional<String> location,
            Optional<String> retryAfter) {}

    /**
     * @param mostBytes maximum size of a response body after decompression
     * @param timeout maximum time without data from the server, and twice the maximum time to connect
     */
    GuardedHttpClient(EgressGuard guard, int concurrent, int mostBytes, Timeout timeout) {
        this.guard = guard;
        this.maxResponseBytes = mostBytes;
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(new GuardedDnsResolver(guard))
                .setMaxConnTotal(concurrent)
                .setMaxConnPerRoute(concurrent)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(connectTimeout(timeout))
                        .setSocketTimeout(timeout)
                        .build())
                .build();
        this.client = HttpClients.custom()
                .setConnectionManager(connections)
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(timeout)
                        .setProtocolUpgradeEnabled(false)
                        .build())
                // Behind the connector, so that a request without a connection certainly was not sent.
                .addExecInterceptorAfter(ChainElement.CONNECT.name(), HANDLE_ATTRIBUTE, (request, scope, chain) -> {
                    scope.clientContext
                            .getAttribute(HANDLE_ATTRIBUTE, RequestHandle.class)
                            .beginSending();
                    return chain.proceed(request, scope);
                })
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .setUserAgent("sallyport")
                .build();
    }

    /** Shorter than the time limit of a call, so that a call to a host that is away ends before it as one not sent. */
    static Timeout connectTimeout(Timeout timeout) {
        return Timeout.ofMilliseconds(Math.max(1, Math.min(MAX_CONNECT_MILLIS, timeout.toMilliseconds() / 2)));
    }

    /** Applies the guard during name resolution, so that the client connects to the checked addresses. */
    private record GuardedDnsResolver(EgressGuard guard) implements DnsResolver {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            return guard.resolveAllowed(host);
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }

    /** Sends a GET request without credentials, and follows redirects. */
    GuardedHttpResponse fetch(String url) throws IOException {
        return sendFollowingRedirects(guard.parseAllowed(url), "GET", (request, same) -> {}, new RequestHandle());
    }

    /** Sends one request; a redirect is returned like any other response. */
    GuardedHttpResponse sendOnce(
            URI uri, String method, Map<String, String> headers, Optional<String> body, RequestHandle handle)
            throws IOException {
        HttpUriRequestBase request = new HttpUriRequestBase(method, uri);
        headers.forEach((name, value) -> setHeader(request, name, value));
        body.ifPresent(text -> request.setEntity(new StringEntity(text, ContentType.APPLICATION_JSON)));
        handle.attach(request);
        return send(request, handle);
    }

    /** Adds headers to a request; the flag says whether the request goes to the origin of the first request. */
    private interface RequestDecorator {
        void decorate(HttpUriRequestBase request, boolean sameOrigin);
    }

    /**
     * Data added to the script's request if it goes to the backend's own host.
     *
     * @param configuredHeaders headers from the settings
     * @param trace trace context of the call; a script cannot set another one
     * @param idempotencyKey the same for each attempt, so that the server can detect repetitions
     */
    record ExtraHeaders(Map<String, String> configuredHeaders, Optional<TraceHeaders> trace, String idempotencyKey) {}

    GuardedHttpResponse callOperation(
            String base, HttpOperation operation, JsonNode arguments, ExtraHeaders added, RequestHandle handle)
            throws IOException {
        URI uri = guard.parseAllowed(base + operation.path().expandPath(arguments) + queryString(operation, arguments));
        return sendFollowingRedirects(
                uri,
                operation.method(),
                (request, same) -> {
                    if (same) {
                        added.configuredHeaders().forEach((name, value) -> setHeader(request, name, value));
                    }
                    operation
                            .headers()
                            .forEach((name, value) ->
                                    value.expandUnencoded(arguments).ifPresent(text -> setHeader(request, name, text)));
                    if (!operation.isSafe() && !request.containsHeader(IDEMPOTENCY_KEY)) {
                        setHeader(request, IDEMPOTENCY_KEY, added.idempotencyKey());
                    }
                    added.trace().ifPresent(trace -> setTraceHeaders(request, trace, same));
                    operation
                            .bodyFor(arguments)
                            .ifPresent(body -> request.setEntity(new StringEntity(body, ContentType.APPLICATION_JSON)));
                },
                handle);
    }

    /** Sets the trace headers last, replacing any others. */
    private static void setTraceHeaders(HttpUriRequestBase request, TraceHeaders trace, boolean same) {
        request.removeHeaders(TraceHeaders.TRACEPARENT);
        request.removeHeaders(TraceHeaders.TRACESTATE);
        if (same) {
            trace.forEach((name, value) -> setHeader(request, name, value));
        }
    }

    private GuardedHttpResponse sendFollowingRedirects(
            URI first, String method, RequestDecorator dressing, RequestHandle handle) throws IOException {
        URI uri = first;
        for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
            HttpUriRequestBase request = new HttpUriRequestBase(method, uri);
            dressing.decorate(request, sameOrigin(first, uri));
            handle.attach(request);
            GuardedHttpResponse response = send(request, handle);
            Optional<String> location = response.location();
            if (response.status() / 100 != 3 || location.isEmpty()) {
                return response;
            }
            if (!method.equals("GET") && !method.equals("HEAD")) {
                throw new IOException("it was redirected, and only GET and HEAD follow redirects");
            }
            uri = guard.parseAllowed(redirectTarget(uri, location.get()));
        }
        throw new IOException("it was redirected more than " + MAX_REDIRECTS + " times");
    }

    private static String redirectTarget(URI from, String location) {
        try {
            return from.resolve(location).toString();
        } catch (IllegalArgumentException e) {
            throw new EgressDeniedException("it was redirected to an invalid URL");
        }
    }

    private static boolean sameOrigin(URI one, URI other) {
        return one.getScheme().equalsIgnoreCase(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && one.getPort() == other.getPort();
    }

    private static void setHeader(HttpUriRequestBase request, String name, String value) {
        if (!HEADER_NAME.matcher(name).matches()
                || value.chars().anyMatch(c -> (c < 0x20 && c != '\t') || c == 0x7f || c > 0xff)) {
            throw new UrlTemplate.TemplateArgumentException(
                    "the header '" + name + "' would have characters that headers cannot have");
        }
        request.setHeader(name, value);
    }

    private static String queryString(HttpOperation operation, JsonNode arguments) {
        StringBuilder query = new StringBuilder();
        operation
                .query()
                .forEach((name, value) -> value.expandQueryValues(arguments)
                        .forEach(text -> query.append(query.length() == 0 ? '?' : '&')
                                .append(UrlTemplate.percentEncode(name))
                                .append('=')
                                .append(UrlTemplate.percentEncode(text))));
        return query.toString();
    }

    private GuardedHttpResponse send(HttpUriRequestBase request, RequestHandle handle) throws IOException {
        HttpClientContext context = HttpClientContext.create();
        context.setAttribute(HANDLE_ATTRIBUTE, handle);
        try {
            return client.execute(request, context, response -> read(request, response));
        } catch (IllegalStateException e) {
            if (!handle.aborted) {
                throw e;
            }
            // The request was aborted between two steps, so that the client found its connection released.
            throw new IOException("it was cancelled", e);
        }
    }

    private GuardedHttpResponse read(HttpUriRequestBase request, ClassicHttpResponse response) throws IOException {
        Header location = response.getFirstHeader("Location");
        HttpEntity entity = response.getEntity();
        byte[] body = new byte[0];
        Optional<ContentType> type = Optional.empty();
        if (entity != null) {
            type = Optional.ofNullable(ContentType.parseLenient(entity.getContentType()));
            try (InputStream in = entity.getContent()) {
                body = in.readNBytes(maxResponseBytes + 1);
                if (body.length > maxResponseBytes) {
                    request.abort(); // closes the connection instead of reading the rest
                    throw new ResponseTooLargeException(maxResponseBytes);
                }
            }
        }
        return new GuardedHttpResponse(
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
