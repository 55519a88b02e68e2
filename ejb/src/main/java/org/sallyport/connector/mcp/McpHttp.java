package org.sallyport.connector.mcp;

import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.Secrets;

/** MCP servers over Streamable HTTP: {@code url}, {@code token}, {@code headers}. Redirects are not followed. */
public final class McpHttp implements BackendKind {
    private static final Set<String> OWN =
            Set.of("url", "token", "headers", "startMillis", "pingMillis", "maxResponseBytes");
    private static final int BYTES = 4 * 1024 * 1024;
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final RandomGenerator random;
    private final SecretAccess secrets;

    /** @param executor runs what waits for the database */
    public McpHttp(
            ScheduledExecutorService scheduler, Executor executor, RandomGenerator random, SecretAccess secrets) {
        this.scheduler = scheduler;
        this.executor = executor;
        this.random = random;
        this.secrets = secrets;
    }

    @Override
    public String name() {
        return "mcp-http";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("token", "headers");
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.NAMES);
        known.addAll(OWN);
        settings.allow(known);
        url(settings);
        settings.optionalText("token").ifPresent(value -> Secrets.check(settings, "token", value));
        settings.map("headers").forEach((name, value) -> {
            Secrets.check(settings, "headers." + name, value);
            if ((name + value).chars().anyMatch(c -> c < 0x20 || c == 0x7f) || name.isEmpty()) {
                throw settings.fault("headers", "has a name or a value with characters that headers cannot have");
            }
        });
        McpStdio.timing(settings);
        settings.whole("maxResponseBytes", BYTES, 1_024, MOST_BYTES);
    }

    private static URI url(BackendSettings settings) {
        try {
            URI url = new URI(settings.text("url")).parseServerAuthority();
            String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
            if (url.getHost() == null
                    || url.getRawUserInfo() != null
                    || !Set.of("http", "https").contains(scheme)) {
                throw settings.fault("url", "must be an http or https URL with a host and without a user");
            }
            return url;
        } catch (URISyntaxException e) {
            throw settings.fault("url", "is no URL");
        }
    }

    @Override
    public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        return new McpBackend(
                (known, ended) -> transport(settings, known),
                McpStdio.timing(settings),
                listener,
                scheduler,
                executor,
                () -> secrets.of(definition),
                random);
    }

    private static McpClientTransport transport(BackendSettings settings, Secrets secrets) {
        URI url = url(settings);
        Map<String, String> headers = secrets.resolve(settings.map("headers"));
        String token = settings.optionalText("token").map(secrets::resolve).orElse("");
        String path = (url.getRawPath().isEmpty() ? "/" : url.getRawPath())
                + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
        return HttpClientStreamableHttpTransport.builder(url.getScheme() + "://" + url.getRawAuthority())
                .endpoint(path)
                .jsonMapper(McpJson.SDK)
                .customizeClient(client -> client.followRedirects(HttpClient.Redirect.NEVER))
                .connectTimeout(McpStdio.timing(settings).start())
                .maxResponseSize(settings.whole("maxResponseBytes", BYTES, 1_024, MOST_BYTES))
                .httpRequestCustomizer((request, method, uri, body, context) -> {
                    headers.forEach(request::setHeader);
                    if (!token.isEmpty()) {
                        request.setHeader("Authorization", "Bearer " + token);
                    }
                })
                .build();
    }
}
