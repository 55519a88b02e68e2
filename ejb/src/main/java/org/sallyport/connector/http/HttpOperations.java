package org.sallyport.connector.http;

import java.net.InetAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.apache.hc.core5.util.Timeout;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendNames;
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.Secrets;

/** HTTP interfaces: {@code baseUrl}, {@code headers}, {@code operations} or {@code openapi}, {@code credentials}, {@code allowHosts}. */
public final class HttpOperations implements BackendKind {
    private static final Set<String> OWN = Set.of(
            "baseUrl",
            "headers",
            "operations",
            "openapi",
            "credentials",
            "allowHosts",
            "allowPrivate",
            "maxResponseBytes");
    private static final int BYTES = 4 * 1024 * 1024;
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private final Executor executor;
    private final SecretAccess secrets;
    private final EgressGuard.Names names;

    /** @param executor runs one exchange a thread */
    public HttpOperations(Executor executor, SecretAccess secrets) {
        this(executor, secrets, InetAddress::getAllByName);
    }

    HttpOperations(Executor executor, SecretAccess secrets, EgressGuard.Names names) {
        this.executor = executor;
        this.secrets = secrets;
        this.names = names;
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("headers", "credentials");
    }

    /** An operator declared the operations, so what is said of their effects counts. */
    @Override
    public boolean declaresHints() {
        return true;
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.NAMES);
        known.addAll(OWN);
        settings.allow(known);
        Optional<OpenApiSource> openapi = OpenApiSource.of(settings);
        EgressGuard guard = guard(settings, openapi);
        if (openapi.isEmpty() || settings.optionalText("baseUrl").isPresent()) {
            check(settings, guard, "baseUrl", base(settings));
        }
        openapi.flatMap(OpenApiSource::url).ifPresent(url -> check(settings, guard, "openapi.url", url));
        settings.map("headers").forEach((name, value) -> Secrets.check(settings, "headers." + name, value));
        settings.map("credentials").forEach((name, value) -> Secrets.check(settings, "credentials." + name, value));
        settings.whole("maxResponseBytes", BYTES, 1, MOST_BYTES);
        if (operations(settings).isEmpty() && openapi.isEmpty()) {
            throw settings.fault("operations", "is missing or empty, and there is no 'openapi'");
        }
        if (openapi.isEmpty() && !settings.map("credentials").isEmpty()) {
            throw settings.fault("credentials", "is for the security schemes of an 'openapi' document; use 'headers'");
        }
        // What is wrong with a document that is here already is said at once.
        openapi.ifPresent(source -> source.check(guard));
    }

    private static void check(BackendSettings settings, EgressGuard guard, String name, String url) {
        try {
            URI checked = guard.checked(url);
            if (checked.getRawFragment() != null || (name.equals("baseUrl") && checked.getRawQuery() != null)) {
                throw settings.fault(name, "must have no query and no fragment");
            }
        } catch (EgressDeniedException e) {
            throw settings.fault(name, "cannot be called: " + e.getMessage());
        }
    }

    private static String base(BackendSettings settings) {
        return plain(settings.text("baseUrl"));
    }

    /** Without the slash that every path begins with. */
    static String plain(String base) {
        return base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    }

    private EgressGuard guard(BackendSettings settings, Optional<OpenApiSource> openapi) {
        List<String> hosts = settings.texts("allowHosts");
        if (hosts.isEmpty()) {
            String from = settings.optionalText("baseUrl")
                    .or(() -> openapi.flatMap(OpenApiSource::url))
                    .orElseThrow(() -> settings.fault("baseUrl", "is missing"));
            try {
                String host = URI.create(from).getHost();
                hosts = host == null ? List.of() : List.of(host);
            } catch (IllegalArgumentException e) {
                throw settings.fault("baseUrl", "is no URL");
            }
        }
        return new EgressGuard(hosts, settings.flag("allowPrivate", false), names);
    }

    /** Those that are declared in the settings themselves. */
    static Map<String, Operation> operations(BackendSettings settings) {
        Map<String, Operation> operations = new LinkedHashMap<>();
        settings.objects("operations").forEach((name, operation) -> {
            if (!BackendNames.ofTools(List.of(name)).containsValue(name)) {
                throw settings.fault("operations." + name, "must have a name of letters, digits, '_', '.' and '-'");
            }
            operations.put(name, Operation.of(name, operation));
        });
        return operations;
    }

    @Override
    public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        CallSettings calls = CallSettings.of(settings);
        Optional<OpenApiSource> openapi = OpenApiSource.of(settings);
        EgressGuard guard = guard(settings, openapi);
        Site.Finder finder = openapi.<Site.Finder>map(source -> exchange -> source.site(guard, exchange))
                .orElseGet(() -> {
                    Site declared = new Site(base(settings), List.of(), operations(settings));
                    return exchange -> declared;
                });
        return new HttpBackend(
                finder,
                settings.map("headers"),
                () -> secrets.of(definition),
                new Exchange(
                        guard,
                        calls.concurrent(),
                        settings.whole("maxResponseBytes", BYTES, 1, MOST_BYTES),
                        Timeout.of(calls.timeout())),
                listener,
                executor);
    }
}
