package org.sallyport.connector.sallyport;

import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.Secrets;
import org.sallyport.connector.http.Origin;
import org.sallyport.tool.CallId;

/** Other installations of Sallyport: {@code url}, {@code key}, {@code namespace} or {@code namespaces}, {@code allowPrivate}, {@code maxHops}. */
public final class OtherInstallations implements BackendKind {
    private static final Set<String> OWN = Set.of(
            "url", "key", "namespace", "namespaces", "allowPrivate", "maxHops", "refreshMillis", "maxResponseBytes");
    private static final int BYTES = 4 * 1024 * 1024;
    private static final int MOST_BYTES = 64 * 1024 * 1024;
    private static final int HOPS = 4;
    private static final int MOST_HOPS = 32;
    private static final int MINUTE = 60_000;
    private static final Duration SILENCE = Duration.ofSeconds(30);
    /** For looks at what is offered, and for calls that are taken back. */
    private static final int MORE_REQUESTS = 4;

    private final Executor executor;
    private final SecretAccess secrets;
    private final Journey journey;
    private final InstantSource clock;
    private final Origin.Names names;

    /** Knows the executions that calls are made for. */
    @FunctionalInterface
    public interface Journey {
        /** How often the call has gone on from one installation to the next until it came here; waits for the store, and throws when that is away. */
        int hops(String tenant, CallId call);
    }

    /** @param executor runs one call a thread */
    public OtherInstallations(Executor executor, SecretAccess secrets, Journey journey, InstantSource clock) {
        this(executor, secrets, journey, clock, InetAddress::getAllByName);
    }

    OtherInstallations(
            Executor executor, SecretAccess secrets, Journey journey, InstantSource clock, Origin.Names names) {
        this.executor = executor;
        this.secrets = secrets;
        this.journey = journey;
        this.clock = clock;
        this.names = names;
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
        Set<String> known = new TreeSet<>(CallSettings.NAMES);
        known.addAll(OWN);
        settings.allow(known);
        Origin.fault(settings.text("url")).ifPresent(fault -> {
            throw settings.fault("url", fault);
        });
        Secrets.check(settings, "key", settings.text("key"));
        Namespaces.of(settings, "any");
        manner(settings);
        refresh(settings);
        hops(settings);
    }

    private static Origin.Manner manner(BackendSettings settings) {
        return new Origin.Manner(
                settings.flag("allowPrivate", false),
                CallSettings.of(settings).concurrent() + MORE_REQUESTS,
                settings.whole("maxResponseBytes", BYTES, 1_024, MOST_BYTES),
                SILENCE);
    }

    private static Duration refresh(BackendSettings settings) {
        return Duration.ofMillis(settings.whole("refreshMillis", MINUTE, 1_000, 60 * MINUTE));
    }

    private static int hops(BackendSettings settings) {
        return settings.whole("maxHops", HOPS, 1, MOST_HOPS);
    }

    @Override
    public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        String url = settings.text("url");
        Origin.Manner manner = manner(settings);
        return new SallyportBackend(
                new SallyportBackend.Terms(
                        settings.text("key"),
                        Namespaces.of(settings, definition.name()),
                        refresh(settings),
                        CallSettings.of(settings).timeout(),
                        hops(settings)),
                key -> new There(new Origin(url, manner, names), key),
                () -> secrets.of(definition),
                journey,
                listener,
                executor,
                clock);
    }
}
