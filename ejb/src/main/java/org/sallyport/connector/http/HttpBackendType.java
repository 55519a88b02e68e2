package org.sallyport.connector.http;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.apache.hc.core5.util.Timeout;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.SecretResolverFactory;

/**
 * HTTP interfaces: {@code baseUrl}, {@code headers}, {@code operations} or {@code openapi}, {@code credentials},
 * {@code allowHosts}, {@code response}.
 */
public final class HttpBackendType implements BackendType {
    private static final Set<String> SETTING_NAMES = Set.of(
            "baseUrl",
            "headers",
            "operations",
            "openapi",
            "credentials",
            "allowHosts",
            "allowPrivate",
            "maxResponseBytes",
            "response",
            "responseHeaders");
    private static final int DEFAULT_RESPONSE_BYTES = 4 * 1024 * 1024;
    private static final int MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

    private final Executor executor;
    private final SecretResolverFactory secrets;
    private final EgressGuard.AddressResolver resolver;

    /** @param executor runs each HTTP exchange on a thread of its own */
    public HttpBackendType(Executor executor, SecretResolverFactory secrets) {
        this(executor, secrets, InetAddress::getAllByName);
    }

    HttpBackendType(Executor executor, SecretResolverFactory secrets, EgressGuard.AddressResolver names) {
        this.executor = executor;
        this.secrets = secrets;
        this.resolver = names;
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("headers", "credentials");
    }

    /** An operator declared the operations, so that the hints about their effects are trusted. */
    @Override
    public boolean declaresTrustedHints() {
        return true;
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.addAll(SETTING_NAMES);
        settings.allowOnly(known);
        Optional<OpenApiSettings> openapi = OpenApiSettings.of(settings);
        EgressGuard guard = guard(settings, openapi);
        if (openapi.isEmpty() || settings.optionalText("baseUrl").isPresent()) {
            check(settings, guard, "baseUrl", baseUrl(settings));
        }
        openapi.flatMap(OpenApiSettings::url).ifPresent(url -> check(settings, guard, "openapi.url", url));
        settings.textMap("headers")
                .forEach((name, value) -> SecretReferences.check(settings, "headers." + name, value));
        settings.textMap("credentials")
                .forEach((name, value) -> SecretReferences.check(settings, "credentials." + name, value));
        settings.integer("maxResponseBytes", DEFAULT_RESPONSE_BYTES, 1, MAX_RESPONSE_BYTES);
        if (operations(settings).isEmpty() && openapi.isEmpty()) {
            throw settings.invalid("operations", "is missing or empty, and there is no 'openapi'");
        }
        if (openapi.isEmpty() && !settings.textMap("credentials").isEmpty()) {
            throw settings.invalid(
                    "credentials", "is for the security schemes of an 'openapi' document; use 'headers'");
        }
        // Validates an inline document immediately, so that its faults are reported to the caller.
        openapi.ifPresent(source -> source.check(guard));
    }

    private static void check(BackendSettings settings, EgressGuard guard, String name, String url) {
        try {
            URI checked = guard.parseAllowed(url);
            if (checked.getRawFragment() != null || (name.equals("baseUrl") && checked.getRawQuery() != null)) {
                throw settings.invalid(name, "must have no query and no fragment");
            }
        } catch (EgressDeniedException e) {
            throw settings.invalid(name, "cannot be called: " + e.getMessage());
        }
    }

    private static String baseUrl(BackendSettings settings) {
        return withoutTrailingSlash(settings.text("baseUrl"));
    }

    /** Removes the trailing slash, because every path begins with one. */
    static String withoutTrailingSlash(String base) {
        return base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    }

    private EgressGuard guard(BackendSettings settings, Optional<OpenApiSettings> openapi) {
        List<String> hosts = settings.textList("allowHosts");
        if (hosts.isEmpty()) {
            Optional<String> base = settings.optionalText("baseUrl");
            String from = base.or(() -> openapi.flatMap(OpenApiSettings::url))
                    .orElseThrow(() -> settings.invalid("baseUrl", "is missing"));
            try {
                String host = UrlParser.parse(from).getHost();
                hosts = host == null ? List.of() : List.of(host);
            } catch (URISyntaxException e) {
                throw settings.invalid(
                        base.isPresent() ? "baseUrl" : "openapi.url",
                        "cannot be called: "
                                + EgressDeniedException.invalidUrl(e).getMessage());
            }
        }
        return new EgressGuard(hosts, settings.flag("allowPrivate", false), resolver);
    }

    /** Reads the operations that the settings declare. */
    static Map<String, HttpOperation> operations(BackendSettings settings) {
        Map<String, HttpOperation> operations = new LinkedHashMap<>();
        ResponseFormat standard = ResponseFormat.of(settings, ResponseFormat.BODY);
        settings.objects("operations").forEach((name, operation) -> {
            if (!BackendNameRules.isToolName(name)) {
                throw settings.invalid("operations." + name, "must have a name of letters, digits, '_', '.' and '-'");
            }
            operations.put(name, HttpOperation.of(name, operation, standard));
        });
        return operations;
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        CallSettings calls = CallSettings.of(settings);
        Optional<OpenApiSettings> openapi = OpenApiSettings.of(settings);
        EgressGuard guard = guard(settings, openapi);
        HttpBackendDefinition.HttpDefinitionLoader finder = openapi.<HttpBackendDefinition.HttpDefinitionLoader>map(
                        source -> exchange -> source.loadDefinition(guard, exchange))
                .orElseGet(() -> {
                    HttpBackendDefinition declared =
                            new HttpBackendDefinition(baseUrl(settings), List.of(), operations(settings));
                    return exchange -> declared;
                });
        return new HttpBackend(
                finder,
                settings.textMap("headers"),
                () -> secrets.resolverFor(definition),
                new GuardedHttpClient(
                        guard,
                        calls.maxConcurrent(),
                        settings.integer("maxResponseBytes", DEFAULT_RESPONSE_BYTES, 1, MAX_RESPONSE_BYTES),
                        Timeout.of(calls.timeout())),
                listener,
                executor);
    }
}
