package org.sallyport.connector.http;

import java.net.InetAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.sallyport.connector.Secrets;

/** HTTP interfaces: {@code baseUrl}, {@code headers}, {@code operations}, {@code allowHosts}, {@code allowPrivate}. */
public final class HttpOperations implements BackendKind {
    private static final Set<String> OWN =
            Set.of("baseUrl", "headers", "operations", "allowHosts", "allowPrivate", "maxResponseBytes");
    private static final int BYTES = 4 * 1024 * 1024;
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private final Executor executor;
    private final EgressGuard.Names names;

    /** @param executor runs one exchange a thread */
    public HttpOperations(Executor executor) {
        this(executor, InetAddress::getAllByName);
    }

    HttpOperations(Executor executor, EgressGuard.Names names) {
        this.executor = executor;
        this.names = names;
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("headers");
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
        try {
            URI base = guard(settings).checked(base(settings));
            if (base.getRawQuery() != null || base.getRawFragment() != null) {
                throw settings.fault("baseUrl", "must have no query and no fragment");
            }
        } catch (EgressDeniedException e) {
            throw settings.fault("baseUrl", "cannot be called: " + e.getMessage());
        }
        settings.map("headers").forEach((name, value) -> Secrets.check(settings, "headers." + name, value));
        settings.whole("maxResponseBytes", BYTES, 1, MOST_BYTES);
        if (operations(settings).isEmpty()) {
            throw settings.fault("operations", "is missing or empty");
        }
    }

    private static String base(BackendSettings settings) {
        String base = settings.text("baseUrl");
        return base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    }

    private EgressGuard guard(BackendSettings settings) {
        List<String> hosts = settings.texts("allowHosts");
        if (hosts.isEmpty()) {
            try {
                String host = URI.create(base(settings)).getHost();
                hosts = host == null ? List.of() : List.of(host);
            } catch (IllegalArgumentException e) {
                throw settings.fault("baseUrl", "is no URL");
            }
        }
        return new EgressGuard(hosts, settings.flag("allowPrivate", false), names);
    }

    private static Map<String, Operation> operations(BackendSettings settings) {
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
        BackendSettings settings = BackendSettings.of(definition.settings());
        CallSettings calls = CallSettings.of(settings);
        return new HttpBackend(
                operations(settings),
                settings.map("headers"),
                () -> new Secrets(System::getenv),
                new Exchange(
                        base(settings),
                        guard(settings),
                        calls.concurrent(),
                        settings.whole("maxResponseBytes", BYTES, 1, MOST_BYTES),
                        Timeout.of(calls.timeout())),
                listener,
                executor);
    }
}
