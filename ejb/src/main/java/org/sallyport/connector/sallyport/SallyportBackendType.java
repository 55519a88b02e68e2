package org.sallyport.connector.sallyport;

import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.CallId;

/**
 * Backends that are remote Sallyport installations: {@code url}, {@code key}, {@code namespace} or {@code namespaces},
 * {@code allowPrivate}, {@code maxHops}.
 */
public final class SallyportBackendType implements BackendType {
    private static final Set<String> SETTING_NAMES = Set.of(
            "url", "key", "namespace", "namespaces", "allowPrivate", "maxHops", "refreshMillis", "maxResponseBytes");
    private static final int DEFAULT_RESPONSE_BYTES = 4 * 1024 * 1024;
    private static final int MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
    private static final int DEFAULT_HOPS = 4;
    private static final int MAX_HOPS = 32;
    private static final int MINUTE_MILLIS = 60_000;
    private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(30);
    /** Additional connections for tool list polls and for cancellations. */
    private static final int EXTRA_CONNECTIONS = 4;

    private final Executor executor;
    private final SecretResolverFactory secrets;
    private final HopCounter hopCounter;
    private final InstantSource clock;
    private final SingleOriginHttpClient.HostResolver resolver;

    /** Looks up the hop count of the execution that makes a call. */
    @FunctionalInterface
    public interface HopCounter {
        /**
         * Returns how many times the call was passed from one installation to the next before it arrived here. Blocks
         * on the store, and throws if the store is unavailable.
         */
        int hops(String tenant, CallId call);
    }

    /** @param executor runs each call on a thread of its own */
    public SallyportBackendType(
            Executor executor, SecretResolverFactory secrets, HopCounter journey, InstantSource clock) {
        this(executor, secrets, journey, clock, InetAddress::getAllByName);
    }

    SallyportBackendType(
            Executor executor,
            SecretResolverFactory secrets,
            HopCounter journey,
            InstantSource clock,
            SingleOriginHttpClient.HostResolver names) {
        this.executor = executor;
        this.secrets = secrets;
        this.hopCounter = journey;
        this.clock = clock;
        this.resolver = names;
    }

    @Override
    public String name() {
        return "sallyport";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("key");
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.addAll(SETTING_NAMES);
        settings.allowOnly(known);
        SingleOriginHttpClient.findUrlProblem(settings.text("url")).ifPresent(problem -> {
            throw settings.invalid("url", problem);
        });
        SecretReferences.check(settings, "key", settings.text("key"));
        ImportedNamespaces.of(settings, "any");
        clientOptions(settings);
        refreshInterval(settings);
        maxHops(settings);
    }

    private static SingleOriginHttpClient.OriginClientOptions clientOptions(BackendSettings settings) {
        return new SingleOriginHttpClient.OriginClientOptions(
                settings.flag("allowPrivate", false),
                CallSettings.of(settings).maxConcurrent() + EXTRA_CONNECTIONS,
                settings.integer("maxResponseBytes", DEFAULT_RESPONSE_BYTES, 1_024, MAX_RESPONSE_BYTES),
                HTTP_TIMEOUT);
    }

    private static Duration refreshInterval(BackendSettings settings) {
        return Duration.ofMillis(settings.integer("refreshMillis", MINUTE_MILLIS, 1_000, 60 * MINUTE_MILLIS));
    }

    private static int maxHops(BackendSettings settings) {
        return settings.integer("maxHops", DEFAULT_HOPS, 1, MAX_HOPS);
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        String url = settings.text("url");
        SingleOriginHttpClient.OriginClientOptions manner = clientOptions(settings);
        return new SallyportBackend(
                new SallyportBackend.RemoteTerms(
                        settings.text("key"),
                        ImportedNamespaces.of(settings, definition.name()),
                        refreshInterval(settings),
                        CallSettings.of(settings).timeout(),
                        maxHops(settings)),
                key -> new RemoteInstallationClient(new SingleOriginHttpClient(url, manner, resolver), key),
                () -> secrets.resolverFor(definition),
                hopCounter,
                listener,
                executor,
                clock);
    }
}
