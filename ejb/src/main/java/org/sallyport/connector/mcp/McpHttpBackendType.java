package org.sallyport.connector.mcp;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.connector.http.UrlParser;

/** MCP servers over Streamable HTTP: {@code url}, {@code token}, {@code headers}. Redirects are not followed. */
public final class McpHttpBackendType implements BackendType {
    private static final Set<String> SETTING_NAMES =
            Set.of("url", "token", "headers", "startMillis", "pingMillis", "sendCallId", "maxResponseBytes");
    private static final int DEFAULT_RESPONSE_BYTES = 4 * 1024 * 1024;
    private static final int MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final RandomGenerator random;
    private final SecretResolverFactory secrets;

    /** @param executor runs tasks that block on the database */
    public McpHttpBackendType(
            ScheduledExecutorService scheduler,
            Executor executor,
            RandomGenerator random,
            SecretResolverFactory secrets) {
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
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.addAll(SETTING_NAMES);
        settings.allowOnly(known);
        url(settings);
        settings.optionalText("token").ifPresent(value -> SecretReferences.check(settings, "token", value));
        settings.textMap("headers").forEach((name, value) -> {
            SecretReferences.check(settings, "headers." + name, value);
            if ((name + value).chars().anyMatch(c -> c < 0x20 || c == 0x7f) || name.isEmpty()) {
                throw settings.invalid("headers", "has a name or a value with characters that headers cannot have");
            }
        });
        McpStdioBackendType.clientOptions(settings);
        maxResponseBytes(settings);
    }

    private static URI url(BackendSettings settings) {
        try {
            URI url = UrlParser.parse(settings.text("url"));
            String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
            if (url.getHost() == null
                    || url.getRawUserInfo() != null
                    || !Set.of("http", "https").contains(scheme)) {
                throw settings.invalid("url", "must be an http or https URL with a host and without a user");
            }
            if (!UrlParser.hasValidPort(url)) {
                throw settings.invalid("url", "must have a port from 1 to 65535");
            }
            return url;
        } catch (URISyntaxException e) {
            throw settings.invalid("url", "is no URL: " + e.getReason());
        }
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        McpBackend.McpClientOptions options = McpStdioBackendType.clientOptions(settings);
        HttpClient httpClient = McpHttpClient.newHttpClient(options.startTimeout());
        return new McpBackend(
                (known, ended) -> new StreamableHttpTransport(
                        client(httpClient, settings, known), scheduler, random, options.startTimeout(), ended),
                options,
                listener,
                scheduler,
                executor,
                () -> secrets.resolverFor(definition),
                random);
    }

    private static McpHttpClient client(HttpClient httpClient, BackendSettings settings, SecretReferences secrets) {
        Map<String, String> headers = new LinkedHashMap<>(secrets.resolve(settings.textMap("headers")));
        settings.optionalText("token")
                .map(secrets::resolve)
                .filter(token -> !token.isEmpty())
                .ifPresent(token -> headers.put("Authorization", "Bearer " + token));
        return new McpHttpClient(httpClient, url(settings), headers, maxResponseBytes(settings));
    }

    private static int maxResponseBytes(BackendSettings settings) {
        return settings.integer("maxResponseBytes", DEFAULT_RESPONSE_BYTES, 1_024, MAX_RESPONSE_BYTES);
    }
}
