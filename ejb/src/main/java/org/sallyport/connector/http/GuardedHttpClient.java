package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
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
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * Sends HTTP requests that the egress guard allows, and connects only to the addresses that the guard checked. Follows
 * redirects only if the guard allows their target, and limits the size of responses. Thread-safe.
 */
final class GuardedHttpClient implements AutoCloseable {
    private static final long MAX_CONNECT_MILLIS = 10_000;
    /** Attribute of the exchange with its {@link RequestHandle}. */
    private static final String HANDLE_ATTRIBUTE = "sallyport.request-handle";

    private static final String CONTENT_TYPE = "Content-Type";
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final EgressGuard guard;
    private final GuardedResponseReader reader;
    private final RedirectPolicy redirects;
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

        /** Called before a redirect is followed: the server answered that it did not handle the request. */
        private synchronized void beginRedirect() throws IOException {
            throwIfAborted();
            sent = false;
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

    /** A response exceeds a size limit; the message says which part of it does. */
    static final class ResponseTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        ResponseTooLargeException(int limit) {
            super("more than " + limit + " bytes");
        }

        ResponseTooLargeException(String part) {
            super(part);
        }
    }

    /**
     * A response that was read.
     *
     * @param contentType the media type of the body, if the server says it
     * @param body the body after decompression; of an error, it may be the beginning alone
     * @param headers in the order of their names, which are in lower case; values of one name are joined with commas
     */
    @SuppressWarnings("ArrayRecordComponent")
    record GuardedHttpResponse(
            int status, Optional<ContentType> contentType, byte[] body, Map<String, String> headers) {

        /** Returns the value of a header; {@code name} is in lower case. */
        Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name));
        }
    }

    /**
     * @param mostBytes maximum size of a response body after decompression
     * @param timeout maximum time without data from the server, and twice the maximum time to connect
     */
    GuardedHttpClient(EgressGuard guard, int concurrent, int mostBytes, Timeout timeout) {
        this.guard = guard;
        this.reader = new GuardedResponseReader(mostBytes);
        this.redirects = new RedirectPolicy(guard);
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(new GuardedDnsResolver(guard))
                .setConnectionFactory(GuardedResponseReader.connectionFactory())
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
        return sendFollowingRedirects(guard.parseAllowed(url), "GET", true, (request, uri) -> {}, new RequestHandle());
    }

    /** Sends one request; a redirect is returned like any other response. */
    GuardedHttpResponse sendOnce(
            URI uri, String method, Map<String, String> headers, Optional<EncodedBody> body, RequestHandle handle)
            throws IOException {
        HttpUriRequestBase request = new HttpUriRequestBase(method, uri);
        headers.forEach((name, value) -> setHeader(request, name, value));
        body.ifPresent(encoded -> setBody(request, encoded));
        handle.attach(request);
        return send(request, handle);
    }

    /** Adds headers and body to the request to {@code uri}. */
    private interface RequestDecorator {
        void decorate(HttpUriRequestBase request, URI uri);
    }

    /**
     * Data added to the script's request. After a redirect to another origin, nothing is added.
     *
     * @param configuredHeaders headers from the settings, for the origin of the backend's base URL
     * @param credentials headers of security schemes, for the server of the operation
     * @param trace trace context of the call; a script cannot set another one
     * @param idempotencyKey the same for each attempt, so that the server can detect repetitions
     */
    record ExtraHeaders(
            Map<String, String> configuredHeaders,
            Map<String, String> credentials,
            Optional<TraceHeaders> trace,
            String idempotencyKey) {}

    GuardedHttpResponse callOperation(
            String base, HttpOperation operation, JsonNode arguments, ExtraHeaders added, RequestHandle handle)
            throws IOException {
        URI target = guard.parseAllowed(operation.server().orElse(base) + operation.target(arguments));
        boolean ownServer = operation.server().isEmpty() || RedirectPolicy.sameOrigin(guard.parseAllowed(base), target);
        Optional<EncodedBody> body = operation.encodeBody(arguments);
        return sendFollowingRedirects(
                target,
                operation.method(),
                operation.isSafe() && body.isEmpty(),
                (request, uri) -> {
                    boolean same = RedirectPolicy.sameOrigin(target, uri);
                    if (same && ownServer) {
                        added.configuredHeaders().forEach((name, value) -> setHeader(request, name, value));
                    }
                    if (same) {
                        added.credentials().forEach((name, value) -> setHeader(request, name, value));
                        if (body.isPresent() && operation.declaresMediaType()) {
                            request.removeHeaders(CONTENT_TYPE);
                        }
                        setHeaders(request, operation, arguments);
                    }
                    if (!operation.isSafe() && !request.containsHeader(IDEMPOTENCY_KEY)) {
                        setHeader(request, IDEMPOTENCY_KEY, added.idempotencyKey());
                    }
                    added.trace().ifPresent(trace -> setTraceHeaders(request, trace, same));
                    body.ifPresent(encoded -> setBody(request, encoded));
                },
                handle);
    }

    private static void setHeaders(HttpUriRequestBase request, HttpOperation operation, JsonNode arguments) {
        for (OperationParameter parameter : operation.parameters()) {
            if (parameter.place() == OperationParameter.ParameterPlace.HEADER) {
                parameter.value().headerText(arguments).ifPresent(text -> setHeader(request, parameter.name(), text));
            }
        }
    }

    /** A media type that the headers have already takes precedence. */
    private static void setBody(HttpUriRequestBase request, EncodedBody body) {
        if (!request.containsHeader(CONTENT_TYPE)) {
            setHeader(request, CONTENT_TYPE, body.contentType());
        }
        request.setEntity(new ByteArrayEntity(body.content(), null));
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
            URI first, String method, boolean safe, RequestDecorator decorator, RequestHandle handle)
            throws IOException {
        URI uri = first;
        GuardedHttpResponse response = send(method, uri, decorator, handle);
        for (int followed = 0; RedirectPolicy.isRedirect(response); followed++) {
            uri = redirects.target(new RedirectPolicy.RedirectedRequest(method, safe, first, uri, followed), response);
            handle.beginRedirect();
            try {
                response = send(method, uri, decorator, handle);
            } catch (EgressDeniedException e) {
                throw RedirectPolicy.denied(safe, e, response);
            }
        }
        return response;
    }

    private GuardedHttpResponse send(String method, URI uri, RequestDecorator decorator, RequestHandle handle)
            throws IOException {
        HttpUriRequestBase request = new HttpUriRequestBase(method, uri);
        decorator.decorate(request, uri);
        handle.attach(request);
        return send(request, handle);
    }

    /** Whether a header, or a cookie, can have this name. */
    static boolean isHeaderName(String name) {
        return HEADER_NAME.matcher(name).matches();
    }

    private static void setHeader(HttpUriRequestBase request, String name, String value) {
        if (!isHeaderName(name)
                || value.chars().anyMatch(c -> (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || c > 0xff)) {
            throw new UnencodableArgumentException(
                    "the header '" + name + "' would have characters that headers cannot have");
        }
        request.setHeader(name, value);
    }

    private GuardedHttpResponse send(HttpUriRequestBase request, RequestHandle handle) throws IOException {
        HttpClientContext context = HttpClientContext.create();
        context.setAttribute(HANDLE_ATTRIBUTE, handle);
        try {
            return client.execute(request, context, response -> reader.read(request, response));
        } catch (GuardedResponseReader.PartialErrorException e) {
            return e.response();
        } catch (MessageConstraintException e) {
            throw new ResponseTooLargeException("headers that are too long or too many");
        } catch (IllegalStateException e) {
            if (!handle.aborted) {
                throw e;
            }
            // The request was aborted between two steps, so that the client found its connection released.
            throw new IOException("it was cancelled", e);
        }
    }

    @Override
    public void close() {
        client.close(CloseMode.IMMEDIATE);
    }
}
