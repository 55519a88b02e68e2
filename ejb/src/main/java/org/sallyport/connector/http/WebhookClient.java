package org.sallyport.connector.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;

/**
 * Posts small bodies to URLs that clients provide, if the egress guard allows them. Connects only to the checked
 * addresses, follows no redirects, reads only the status and a limited number of headers, and limits the total
 * duration. Thread-safe.
 */
public final class WebhookClient implements AutoCloseable {
    /** Entry of the host list that stands for any host. */
    private static final String ANY_HOST = "*";

    private static final int MAX_URL_LENGTH = 2_000;
    private static final int MAX_REASON_LENGTH = 300;

    private final List<String> allowedHosts;
    private final boolean privateAllowed;
    private final EgressGuard.AddressResolver resolver;
    private final ScheduledExecutorService scheduler;
    private final long timeoutMillis;
    private final CloseableHttpClient client;

    /**
     * @param hosts hosts that may be called, {@code *.domain} for all hosts below a domain, or {@code *} for any
     * @param inside whether addresses that are not public are allowed
     * @param concurrent maximum number of concurrent requests
     * @param total maximum duration of a request
     * @param clock aborts requests that take longer
     */
    public WebhookClient(
            List<String> hosts, boolean inside, int concurrent, Duration total, ScheduledExecutorService clock) {
        this(hosts, inside, concurrent, total, clock, InetAddress::getAllByName);
    }

    WebhookClient(
            List<String> hosts,
            boolean inside,
            int concurrent,
            Duration total,
            ScheduledExecutorService clock,
            EgressGuard.AddressResolver names) {
        this.allowedHosts = List.copyOf(hosts);
        this.privateAllowed = inside;
        this.resolver = names;
        this.scheduler = clock;
        this.timeoutMillis = total.toMillis();
        Timeout timeout = Timeout.ofMilliseconds(timeoutMillis);
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(new WebhookDnsResolver())
                .setConnectionFactory(GuardedResponseReader.connectionFactory())
                .setMaxConnTotal(concurrent)
                .setMaxConnPerRoute(concurrent)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(timeout)
                        .setSocketTimeout(timeout)
                        .build())
                .build();
        this.client = HttpClients.custom()
                .setConnectionManager(connections)
                .setConnectionReuseStrategy((request, response, context) -> false)
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(timeout)
                        .setProtocolUpgradeEnabled(false)
                        .setContentCompressionEnabled(false)
                        .build())
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .setUserAgent("sallyport")
                .build();
    }

    /** Applies the guard during name resolution, so that the client connects to the checked addresses. */
    private final class WebhookDnsResolver implements DnsResolver {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            return guard(host).resolveAllowed(host);
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }

    private EgressGuard guard(String host) {
        return new EgressGuard(
                allowedHosts.contains(ANY_HOST) ? List.of(host) : allowedHosts, privateAllowed, resolver);
    }

    /**
     * Returns why {@code url} may not be called, as far as this is known without resolving its host; empty if there is
     * no reason.
     */
    public Optional<String> findUrlProblem(String url) {
        if (allowedHosts.isEmpty()) {
            return Optional.of("may not be called: no hosts are allowed (sallyport.callbacks.allowed-hosts is empty)");
        } else if (url.length() > MAX_URL_LENGTH) {
            return Optional.of("must have at most " + MAX_URL_LENGTH + " characters");
        }
        try {
            URI uri = parseAllowed(url);
            if (uri.getRawFragment() != null) {
                return Optional.of("has a fragment, which is never sent to a server");
            }
            if (isLiteral(uri.getHost())) {
                guard(uri.getHost()).resolveAllowed(uri.getHost());
            }
            return Optional.empty();
        } catch (EgressDeniedException e) {
            return Optional.of("may not be called: " + e.getMessage());
        } catch (UnknownHostException e) {
            return Optional.of("may not be called: it has no address");
        }
    }

    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || Character.isDigit(c));
    }

    private URI parseAllowed(String url) {
        String host;
        try {
            host = UrlParser.parse(url).getHost();
        } catch (URISyntaxException e) {
            throw EgressDeniedException.invalidUrl(e);
        }
        if (host == null) {
            throw new EgressDeniedException("it has no host");
        }
        return guard(host).parseAllowed(url);
    }

    /**
     * Posts JSON and returns the HTTP status. The URL is read as {@link UrlParser} does. Throws {@link IOException}
     * with a reason for people if no status was received.
     */
    public int post(String url, Map<String, String> headers, byte[] body) throws IOException {
        HttpPost request;
        HttpHost host;
        try {
            URI uri = parseAllowed(url);
            request = new HttpPost(uri);
            host = new HttpHost(uri.getScheme(), uri.getHost(), uri.getPort());
        } catch (EgressDeniedException e) {
            throw new IOException("it may not be called: " + e.getMessage(), e);
        }
        headers.forEach(request::setHeader);
        request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
        // The flag is set before the abort, because the sender reads it as soon as the abort takes effect.
        AtomicBoolean late = new AtomicBoolean();
        ScheduledFuture<?> end = scheduler.schedule(
                () -> {
                    late.set(true);
                    request.abort();
                },
                timeoutMillis,
                TimeUnit.MILLISECONDS);
        try {
            return sendForStatus(host, request);
        } catch (EgressDeniedException e) {
            throw new IOException("it may not be called: " + e.getMessage(), e);
        } catch (UnknownHostException e) {
            throw new IOException("its host has no address", e);
        } catch (IOException e) {
            throw new IOException(
                    late.get()
                            ? "the receiver did not answer within " + timeoutMillis + " ms"
                            : "no answer: " + reason(e),
                    e);
        } finally {
            end.cancel(false);
        }
    }

    private int sendForStatus(HttpHost host, HttpPost request) throws IOException {
        ClassicHttpResponse response = client.executeOpen(host, request, null);
        int status = response.getCode();
        // The response body is not read, whatever its size.
        request.abort();
        try {
            response.close();
        } catch (IOException e) {
            // The connection was aborted above.
        }
        return status;
    }

    private static String reason(IOException failure) {
        String reason = failure.getClass().getSimpleName() + ": " + failure.getMessage();
        return reason.length() > MAX_REASON_LENGTH ? reason.substring(0, MAX_REASON_LENGTH) : reason;
    }

    @Override
    public void close() {
        client.close(CloseMode.IMMEDIATE);
    }
}
