package org.sallyport.connector;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.Origin;
import org.sallyport.catalog.BackendNames;
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.messaging.Destinations;
import org.sallyport.tool.Json;

/**
 * The backends that were configured, each with its connection on this node. The database says which there are, so that each
 * node comes to have the same; their tools are known from there before they are connected. Thread-safe.
 */
public final class Backends implements AutoCloseable {
    private final BackendStore store;
    private final Catalog catalog;
    private final ConnectorHost host;
    private final BackendQueues queues;
    private final Map<String, BackendKind> kinds;
    private final SecretAccess secrets;
    private final Threads threads;
    private final InstantSource clock;
    /** Changed under the lock alone, which is held while the database is asked and connections are opened; read without it. */
    private final Map<String, Standing> standing = new ConcurrentSkipListMap<>();

    private boolean closed;

    /** @param secrets the versions of those that it refers to */
    private record Standing(HostedBackend backend, BackendQueues.Listening listening, Map<String, String> secrets) {}

    /**
     * On what this runs.
     *
     * @param scheduler counts down times
     * @param executor runs what waits for the database
     */
    public record Threads(ScheduledExecutorService scheduler, Executor executor) {}

    public Backends(
            BackendStore store,
            Catalog catalog,
            ConnectorHost host,
            BackendQueues queues,
            Collection<BackendKind> kinds,
            SecretAccess secrets,
            Threads threads,
            InstantSource clock) {
        this.store = store;
        this.catalog = catalog;
        this.host = host;
        this.queues = queues;
        this.kinds = kinds.stream().collect(Collectors.toUnmodifiableMap(BackendKind::name, Function.identity()));
        this.secrets = secrets;
        this.threads = threads;
        this.clock = clock;
    }

    /** Makes {@code inFile} all that the file configures, and begins to connect everything. */
    public synchronized void start(List<BackendDefinition> inFile) {
        inFile.forEach(this::check);
        Map<String, BackendDefinition> before =
                store.list().stream().collect(Collectors.toMap(BackendDefinition::name, Function.identity()));
        for (BackendDefinition definition : inFile) {
            BackendDefinition there = before.remove(definition.name());
            if (there == null || !same(there, definition)) {
                store.put(definition);
            }
        }
        before.values().stream()
                .filter(definition -> definition.origin() == Origin.FILE)
                .forEach(definition -> store.remove(definition.name()));
        addBuiltIn();
        sync();
    }

    /** Adds those that nobody has configured; as whoever has did, they stay. */
    private void addBuiltIn() {
        for (BackendKind kind : kinds.values()) {
            for (String name : kind.builtIn().orElse(Set.of())) {
                Optional<BackendDefinition> there = store.list().stream()
                        .filter(one -> one.name().equalsIgnoreCase(name))
                        .findFirst();
                if (there.isEmpty()) {
                    store.add(new BackendDefinition(
                            name, kind.name(), Json.EMPTY_OBJECT, true, Origin.BUILT_IN, version()));
                } else if (!there.get().kind().equals(kind.name())) {
                    System.getLogger(Backends.class.getName())
                            .log(
                                    Level.WARNING,
                                    "the backend {0} of the application is not offered: one of the kind {1} has been given that name",
                                    name,
                                    there.get().kind());
                }
            }
        }
    }

    private static boolean same(BackendDefinition one, BackendDefinition other) {
        return one.kind().equals(other.kind())
                && one.settings().equals(other.settings())
                && one.enabled() == other.enabled()
                && one.origin() == other.origin();
    }

    /** Does here what was changed at any node. */
    public synchronized void sync() {
        if (closed) {
            return;
        }
        secrets.refresh();
        Map<String, BackendDefinition> wanted = new TreeMap<>();
        store.list().forEach(definition -> wanted.put(definition.name(), definition));
        for (String name : List.copyOf(standing.keySet())) {
            if (!wanted.containsKey(name)) {
                takeDown(name);
            }
        }
        wanted.values().stream().filter(definition -> !isStanding(definition)).forEach(this::setUpIfPossible);
    }

    /** One that another version of the service configured may not be understood here, and is no reason to lack the others. */
    private void setUpIfPossible(BackendDefinition definition) {
        try {
            setUp(definition);
        } catch (InvalidBackendException e) {
            System.getLogger(Backends.class.getName())
                    .log(Level.WARNING, "backend {0}: {1} {2}", definition.name(), e.member(), e.getMessage());
        }
    }

    private boolean isStanding(BackendDefinition definition) {
        Standing there = standing.get(definition.name());
        return there != null
                && there.backend().definition().version().equals(definition.version())
                && there.secrets().equals(secrets.versions(definition));
    }

    private void setUp(BackendDefinition definition) {
        BackendKind kind = kinds.get(definition.kind());
        if (kind == null || !isOf(kind, definition.name())) {
            return; // a newer node's; this one cannot host it
        }
        Standing before = standing.get(definition.name());
        if (before != null) {
            // It goes on taking calls, which are told that it starts, until the new one takes them.
            before.backend().state(State.STARTING, Optional.empty());
            before.backend().close();
        }
        CallSettings calls = CallSettings.of(BackendSettings.of(definition));
        // Before they are used: one that is changed meanwhile is noticed by the next look.
        Map<String, String> versions = secrets.versions(definition);
        Hearing hearing = new Hearing();
        LiveBackend live = kind.open(definition, hearing);
        HostedBackend backend = new HostedBackend(
                definition,
                kind.declaresHints() ? calls.trustingHints() : calls,
                live,
                clock,
                threads.scheduler(),
                threads.executor());
        hearing.backend = backend;
        know(backend, store.tools(definition.name()));
        host.host(backend);
        standing.put(
                definition.name(),
                new Standing(
                        backend,
                        before == null ? queues.listen(queue(definition.name())) : before.listening(),
                        versions));
        if (definition.enabled()) {
            backend.start();
        } else {
            backend.state(State.DOWN, Optional.of("it is disabled"));
        }
    }

    private static String queue(String backend) {
        return Destinations.TOOL_PREFIX + backend;
    }

    private void takeDown(String name) {
        Standing gone = standing.remove(name);
        if (gone != null) {
            gone.listening().close();
            host.unhost(name);
            catalog.remove(name);
            gone.backend().close();
        }
    }

    private void know(HostedBackend backend, List<PinnedTool> tools) {
        backend.tools(tools);
        BackendDefinition definition = backend.definition();
        catalog.put(
                new Backend(definition.name(), definition.kind(), queue(definition.name()), backend.fallback()),
                backend.tools());
    }

    /** Takes what the connection says to where it belongs. */
    private final class Hearing implements LiveBackend.Listener {
        private volatile @Nullable HostedBackend backend;

        @Override
        public void state(State state, Optional<String> error) {
            HostedBackend known = backend;
            if (known != null) {
                known.state(state, error);
            }
        }

        @Override
        public void tools(List<ToolDefinition> tools) {
            HostedBackend known = backend;
            if (known != null) {
                learned(known, tools);
            }
        }
    }

    private synchronized void learned(HostedBackend backend, List<ToolDefinition> tools) {
        Standing current = standing.get(backend.backend());
        if (!closed && current != null && current.backend() == backend) {
            know(backend, store.declared(backend.backend(), backend.redacted(tools)));
        }
    }

    /** Throws {@link InvalidBackendException} unless there may be such a backend. */
    public void check(BackendDefinition definition) {
        BackendNames.fault(definition.name()).ifPresent(fault -> {
            throw new InvalidBackendException("name", fault);
        });
        BackendKind kind = kinds.get(definition.kind());
        if (kind == null) {
            throw new InvalidBackendException(
                    "kind", "must be one of " + String.join(", ", new TreeSet<>(kinds.keySet())));
        }
        if (!isOf(kind, definition.name())) {
            throw new InvalidBackendException(
                    "kind",
                    "'" + kind.name() + "' has only what is a part of the application: "
                            + String.join(", ", new TreeSet<>(kind.builtIn().orElse(Set.of()))));
        }
        if (definition.origin() == Origin.BUILT_IN && kind.builtIn().isEmpty()) {
            // Its settings are trusted more than those that somebody sends.
            throw new InvalidBackendException("kind", "of a part of the application cannot be changed");
        }
        BackendSettings settings = BackendSettings.of(definition);
        if (CallSettings.of(settings).fallback().contains(definition.name())) {
            throw settings.fault("fallback", "must not have the backend itself");
        }
        kind.check(settings);
    }

    private static boolean isOf(BackendKind kind, String name) {
        return kind.builtIn().map(names -> names.contains(name)).orElse(true);
    }

    /** The names of settings of that kind which are not shown. */
    public Set<String> secretSettings(String kind) {
        return Optional.ofNullable(kinds.get(kind))
                .map(BackendKind::secretSettings)
                .orElse(Set.of());
    }

    /** All, by name; never waits, as little as what else reads them does. */
    public List<BackendView> list() {
        List<BackendView> views = new ArrayList<>();
        standing.values().forEach(one -> views.add(BackendView.of(one.backend())));
        return views;
    }

    /** The one of that name. */
    public Optional<BackendView> find(String name) {
        return Optional.ofNullable(standing.get(name)).map(Standing::backend).map(BackendView::of);
    }

    /**
     * Adds a backend and begins to connect it; empty when there is one of that name, whatever its case.
     *
     * @param tenant whose secrets it may use
     */
    public synchronized Optional<BackendView> add(
            String name, String kind, Json settings, boolean enabled, String tenant) {
        BackendDefinition definition =
                new BackendDefinition(name, kind, settings, enabled, Origin.API, version(), tenant);
        check(definition);
        sync();
        if (taken(name) || !store.add(definition)) {
            return Optional.empty();
        }
        sync();
        return find(name);
    }

    private boolean taken(String name) {
        return standing.keySet().stream().anyMatch(other -> other.equalsIgnoreCase(name))
                || catalog.all().stream().anyMatch(tool -> tool.backend().name().equalsIgnoreCase(name));
    }

    /**
     * Configures a backend anew and connects it so; empty when there is none of that name.
     *
     * @param tenant whose secrets it may use from now on: never those of who had configured it before
     */
    public synchronized Optional<BackendView> change(
            String name, String kind, Json settings, boolean enabled, String tenant) {
        return store.find(name).flatMap(before -> {
            BackendDefinition definition =
                    new BackendDefinition(name, kind, settings, enabled, before.origin(), version(), tenant);
            check(definition);
            store.put(definition);
            sync();
            return find(name);
        });
    }

    /** Ends a backend and forgets it; false when there is none of that name. */
    public synchronized boolean remove(String name) {
        boolean removed = store.remove(name);
        sync();
        return removed;
    }

    /** Ends the connection on every node and begins another; empty when there is no such backend. */
    public Optional<BackendView> restart(String name) {
        return store.find(name)
                .flatMap(before -> change(name, before.kind(), before.settings(), before.enabled(), before.tenant()));
    }

    /** The tools of a backend, those that may not be called included. */
    public List<PinnedTool> tools(String name) {
        return Optional.ofNullable(standing.get(name))
                .map(one -> one.backend().pinned())
                .orElse(List.of());
    }

    /** How long the calls of a backend have taken lately, by the names of those tools that were called. */
    public Map<String, Latencies.Percentiles> latencies(String name) {
        return Optional.ofNullable(standing.get(name))
                .map(one -> one.backend().latencyByTool())
                .orElse(Map.of());
    }

    /** Lets the changed definition of a tool count; false when it has none. */
    public synchronized boolean accept(String backend, String tool, String hash) {
        if (!store.accept(backend, tool, hash)) {
            return false;
        }
        restart(backend); // other nodes learn of it so
        return true;
    }

    private static String version() {
        return UUID.randomUUID().toString();
    }

    /** Takes no more calls: other nodes do. Returns once the last is handed over, after {@code most} at the latest. */
    public void deafen(Duration most) throws InterruptedException {
        List<BackendQueues.Listening> all;
        synchronized (this) {
            closed = true;
            all = standing.values().stream().map(Standing::listening).toList();
        }
        all.forEach(BackendQueues.Listening::close);
        long end = System.nanoTime() + most.toNanos();
        for (BackendQueues.Listening each : all) {
            each.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    /** Ends all connections; the definitions stay. */
    @Override
    public synchronized void close() {
        closed = true;
        standing.values().forEach(one -> {
            one.listening().close();
            one.backend().close();
        });
        standing.clear();
    }
}
