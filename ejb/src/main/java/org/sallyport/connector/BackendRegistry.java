package org.sallyport.connector;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.tool.Json;

/**
 * The configured backends, each with its connection on this node. The database holds the definitions, so that all nodes
 * converge to the same set; tools are known from the database before a backend is connected. Thread-safe.
 */
public final class BackendRegistry implements AutoCloseable {
    /** In the backends file, settings are members of the backend itself. */
    private static final String SETTINGS = "settings.";

    private final BackendStore store;
    private final ToolCatalog catalog;
    private final ConnectorDispatcher dispatcher;
    private final BackendConsumers consumers;
    private final Map<String, BackendType> types;
    private final SecretResolverFactory secrets;
    private final BackendExecutors executors;
    private final InstantSource clock;
    /**
     * Written only while holding the lock of this registry, which is held during database access and while connections
     * are opened; read without the lock.
     */
    private final Map<String, RegisteredBackend> registered = new ConcurrentSkipListMap<>();

    /** Configured backends that this node cannot host. Written and read like {@link #registered}. */
    private final Map<String, BackendSnapshot> notHosted = new ConcurrentSkipListMap<>();

    /** Identifiers in scripts of all backends at the last sync, by their names. Guarded by the lock. */
    private Map<String, String> identifiers = Map.of();

    private boolean closed;

    /**
     * @param identifier its identifier in scripts
     * @param secretVersions versions of the secrets that the definition refers to
     */
    private record RegisteredBackend(
            ManagedBackend backend,
            String identifier,
            BackendConsumers.Subscription subscription,
            Map<String, String> secretVersions) {

        BackendSnapshot snapshot() {
            return BackendSnapshot.of(backend, identifier);
        }
    }

    /**
     * The executors of backends.
     *
     * @param scheduler runs short timed tasks
     * @param executor runs tasks that block on the database
     */
    public record BackendExecutors(ScheduledExecutorService scheduler, Executor executor) {}

    public BackendRegistry(
            BackendStore store,
            ToolCatalog catalog,
            ConnectorDispatcher host,
            BackendConsumers queues,
            Collection<BackendType> kinds,
            SecretResolverFactory secrets,
            BackendExecutors threads,
            InstantSource clock) {
        this.store = store;
        this.catalog = catalog;
        this.dispatcher = host;
        this.consumers = queues;
        this.types = kinds.stream().collect(Collectors.toUnmodifiableMap(BackendType::name, Function.identity()));
        this.secrets = secrets;
        this.executors = threads;
        this.clock = clock;
    }

    /**
     * Replaces all backends that come from the configuration file by {@code inFile}, and starts to connect all
     * backends.
     */
    public synchronized void start(List<BackendDefinition> inFile) {
        inFile.forEach(this::checkInFile);
        Set<String> names = inFile.stream().map(BackendDefinition::name).collect(Collectors.toSet());
        Map<String, BackendDefinition> before = new TreeMap<>();
        for (BackendDefinition definition : store.list()) {
            // Removed first, so that a backend with a new name can have the identifier of the old one.
            if (definition.origin() == BackendOrigin.FILE && !names.contains(definition.name())) {
                store.remove(definition.name());
            } else {
                before.put(definition.name(), definition);
            }
        }
        // Names that are identifiers as they are come first, so that they stay as they are.
        List<BackendDefinition> sorted = inFile.stream()
                .sorted(Comparator.comparing(definition ->
                        !BackendNameRules.toIdentifier(definition.name()).equals(definition.name())))
                .toList();
        for (BackendDefinition definition : sorted) {
            BackendDefinition there = before.get(definition.name());
            if (there == null || !sameConfiguration(there, definition)) {
                store.put(definition);
            }
        }
        addBuiltIn();
        sync();
    }

    /** Validates a definition; an error names the backend and its member in the file. */
    private void checkInFile(BackendDefinition definition) {
        try {
            check(definition);
        } catch (InvalidBackendException e) {
            String member = e.member().startsWith(SETTINGS) ? e.member().substring(SETTINGS.length()) : e.member();
            throw new InvalidBackendException(
                    "backends." + definition.name() + "." + member, String.valueOf(e.getMessage()));
        }
    }

    /** Adds the built-in backends that are not configured; a configured backend of the same name stays. */
    private void addBuiltIn() {
        for (BackendType kind : types.values()) {
            for (String name : kind.builtInNames().orElse(Set.of())) {
                Optional<BackendDefinition> there = store.list().stream()
                        .filter(one -> one.name().equalsIgnoreCase(name))
                        .findFirst();
                if (there.isEmpty()) {
                    store.add(new BackendDefinition(
                            name, kind.name(), Json.EMPTY_OBJECT, true, BackendOrigin.BUILT_IN, newVersion()));
                } else if (!there.get().kind().equals(kind.name())) {
                    System.getLogger(BackendRegistry.class.getName())
                            .log(
                                    Level.WARNING,
                                    "the bean of the backend {0} is not offered: a backend of the kind {1} has that"
                                            + " name; rename the bean's backend or remove the other one",
                                    name,
                                    there.get().kind());
                }
            }
        }
    }

    private static boolean sameConfiguration(BackendDefinition one, BackendDefinition other) {
        return one.kind().equals(other.kind())
                && one.settings().equals(other.settings())
                && one.enabled() == other.enabled()
                && one.origin() == other.origin();
    }

    /** Applies changes that any node made in the database to this node. Does nothing after shutdown has begun. */
    public synchronized void sync() {
        if (closed) {
            return;
        }
        secrets.refresh();
        Map<String, BackendDefinition> wanted = new TreeMap<>();
        store.list().forEach(definition -> wanted.put(definition.name(), definition));
        identifiers = store.listIdentifiers();
        // Before the first backend is opened, so that a name that belongs to a later one never denotes an earlier one.
        catalog.setConfiguredBackends(identifiers);
        for (String name : List.copyOf(registered.keySet())) {
            if (!wanted.containsKey(name)) {
                closeBackend(name);
            }
        }
        for (String name : List.copyOf(notHosted.keySet())) {
            if (!wanted.containsKey(name)) {
                notHosted.remove(name);
                catalog.remove(name);
            }
        }
        wanted.values().stream().filter(definition -> !isCurrent(definition)).forEach(this::openIfSupported);
    }

    /**
     * Opens a backend. A definition written by another version of the service may be invalid here; it is logged and
     * does not prevent the other backends.
     */
    private void openIfSupported(BackendDefinition definition) {
        try {
            openBackend(definition);
        } catch (InvalidBackendException e) {
            System.getLogger(BackendRegistry.class.getName())
                    .log(Level.WARNING, "backend {0}: {1} {2}", definition.name(), e.member(), e.getMessage());
            if (!registered.containsKey(definition.name())) {
                markNotHosted(
                        definition,
                        "this node does not host it: its definition is invalid here: " + e.member() + " "
                                + e.getMessage());
            }
        }
    }

    private boolean isCurrent(BackendDefinition definition) {
        RegisteredBackend there = registered.get(definition.name());
        return there != null
                && there.backend().definition().version().equals(definition.version())
                && there.secretVersions().equals(secrets.secretVersions(definition));
    }

    private void openBackend(BackendDefinition definition) {
        BackendType kind = types.get(definition.kind());
        RegisteredBackend before = registered.get(definition.name());
        if (kind == null || !allowsName(kind, definition.name())) {
            if (before == null) {
                markNotHosted(
                        definition,
                        kind == null
                                ? "this node does not host it: the kind '" + definition.kind()
                                        + "' is unknown to its version"
                                : "this node does not host it: it has no bean of this name; is its jar missing in the"
                                        + " directory of extensions?");
            }
            return;
        }
        if (before != null) {
            // The old backend keeps receiving calls, and answers that it is starting, until the new one replaces it.
            before.backend().updateState(BackendState.STARTING, Optional.empty());
            before.backend().close();
        }
        CallSettings calls = CallSettings.of(BackendSettings.of(definition));
        // The versions are read before the secrets are used: if a secret changes in between, the next sync notices it.
        Map<String, String> versions = secrets.secretVersions(definition);
        BackendListener hearing = new BackendListener();
        BackendConnection live = kind.open(definition, hearing);
        ManagedBackend backend = new ManagedBackend(
                definition,
                kind.declaresTrustedHints() ? calls.withTrustedHints() : calls,
                live,
                clock,
                executors.scheduler(),
                executors.executor());
        hearing.backend = backend;
        String identifier = findIdentifier(definition.name());
        publishTools(backend, identifier, store.listTools(definition.name()));
        dispatcher.register(backend);
        registered.put(
                definition.name(),
                new RegisteredBackend(
                        backend,
                        identifier,
                        before == null ? consumers.subscribe(queueName(definition.name())) : before.subscription(),
                        versions));
        notHosted.remove(definition.name());
        if (definition.enabled()) {
            backend.start();
        } else {
            backend.updateState(BackendState.DOWN, Optional.of("it is disabled"));
        }
    }

    /** A backend that was removed meanwhile is closed by the next sync. */
    private String findIdentifier(String backend) {
        return identifiers.getOrDefault(backend, BackendNameRules.toIdentifier(backend));
    }

    /**
     * This node cannot call the backend: the kind, or the bean of a built-in backend, is known only to other nodes or
     * was removed, or the definition is invalid here.
     */
    private void markNotHosted(BackendDefinition definition, String reason) {
        BackendSnapshot marked = notHosted.get(definition.name());
        if (marked == null || !marked.definition().version().equals(definition.version())) {
            String identifier = findIdentifier(definition.name());
            notHosted.put(
                    definition.name(), BackendSnapshot.notHosted(definition, identifier, reason, clock.instant()));
            catalog.putNotHosted(
                    new CatalogBackend(
                            definition.name(), definition.kind(), queueName(definition.name()), List.of(), identifier),
                    store.listTools(definition.name()));
        }
    }

    private static String queueName(String backend) {
        return JmsDestinations.TOOL_PREFIX + backend;
    }

    private void closeBackend(String name) {
        RegisteredBackend removed = registered.remove(name);
        if (removed != null) {
            removed.subscription().close();
            dispatcher.unregister(name);
            catalog.remove(name);
            removed.backend().close();
        }
    }

    private void publishTools(ManagedBackend backend, String identifier, List<PinnedToolDefinition> tools) {
        backend.tools(tools);
        BackendDefinition definition = backend.definition();
        backend.unusableTools(catalog.putNamed(
                new CatalogBackend(
                        definition.name(),
                        definition.kind(),
                        queueName(definition.name()),
                        backend.fallbackBackends(),
                        identifier),
                backend.namedTools(),
                backend.retiredTools()));
    }

    /** Forwards events of a connection to its backend. */
    private final class BackendListener implements BackendConnection.ConnectionListener {
        private volatile @Nullable ManagedBackend backend;

        @Override
        public void onStateChanged(BackendState state, Optional<String> error) {
            ManagedBackend known = backend;
            if (known != null) {
                known.updateState(state, error);
            }
        }

        @Override
        public void onToolsDeclared(List<ToolDefinition> tools) {
            ManagedBackend known = backend;
            if (known != null) {
                storeDeclaredTools(known, tools);
            }
        }
    }

    private synchronized void storeDeclaredTools(ManagedBackend backend, List<ToolDefinition> tools) {
        RegisteredBackend current = registered.get(backend.backendName());
        if (!closed && current != null && current.backend() == backend) {
            String identifier = current.identifier();
            // Empty if the backend was removed or changed meanwhile: the next sync closes this connection.
            store.recordDeclared(backend.definition(), backend.redactTools(tools))
                    .ifPresent(recorded -> {
                        publishTools(backend, identifier, recorded.tools());
                        reportOmitted(backend, recorded.omitted());
                    });
        }
    }

    private static void reportOmitted(ManagedBackend backend, int omitted) {
        if (omitted > 0) {
            backend.reportError(omitted + " new tools of its server are not in the catalog: the service keeps the names"
                    + " of at most " + BackendStore.MAX_TOOLS
                    + " tools of a backend; remove the backend and add it again");
        }
    }

    /** Validates a definition; throws {@link InvalidBackendException} if it is invalid. */
    public void check(BackendDefinition definition) {
        BackendNameRules.validationError(definition.name()).ifPresent(error -> {
            throw new InvalidBackendException("name", error);
        });
        BackendType kind = types.get(definition.kind());
        if (kind == null) {
            throw new InvalidBackendException(
                    "kind", "must be one of " + String.join(", ", new TreeSet<>(types.keySet())));
        }
        if (!allowsName(kind, definition.name())) {
            throw new InvalidBackendException(
                    "kind",
                    "'" + kind.name() + "' needs a bean whose backend is named '" + definition.name()
                            + "'; the beans of this node are: "
                            + String.join(
                                    ", ", new TreeSet<>(kind.builtInNames().orElse(Set.of())))
                            + "; is a jar missing in the directory of extensions?");
        }
        if (definition.origin() == BackendOrigin.BUILT_IN && kind.builtInNames().isEmpty()) {
            // Settings of a built-in backend are trusted more than settings sent over the API.
            throw new InvalidBackendException("kind", "of a backend that is part of the application cannot be changed");
        }
        BackendSettings settings = BackendSettings.of(definition);
        if (CallSettings.of(settings).fallback().contains(definition.name())) {
            throw settings.invalid("fallback", "must not contain the backend itself");
        }
        kind.check(settings);
    }

    private static boolean allowsName(BackendType kind, String name) {
        return kind.builtInNames().map(names -> names.contains(name)).orElse(true);
    }

    /**
     * The names of the settings of a kind whose values must not be shown. Empty if this node does not know the kind: no
     * setting may be shown then.
     */
    public Optional<Set<String>> secretSettings(String kind) {
        return Optional.ofNullable(types.get(kind)).map(BackendType::secretSettings);
    }

    /** Returns whether the backend is configured but not hosted by this node. */
    public boolean isNotHosted(String name) {
        return notHosted.containsKey(name) && !registered.containsKey(name);
    }

    /**
     * All configured backends as this node sees them, by name, including those that it does not host. Never blocks, as
     * the maps are read without the lock.
     */
    public List<BackendSnapshot> list() {
        List<BackendSnapshot> views = new ArrayList<>();
        registered.values().forEach(one -> views.add(one.snapshot()));
        notHosted.values().stream()
                .filter(one -> !registered.containsKey(one.definition().name()))
                .forEach(views::add);
        views.sort(Comparator.comparing(one -> one.definition().name()));
        return views;
    }

    /** The configured backend of that name as this node sees it; empty if there is none. */
    public Optional<BackendSnapshot> find(String name) {
        return Optional.ofNullable(registered.get(name))
                .map(RegisteredBackend::snapshot)
                .or(() -> Optional.ofNullable(notHosted.get(name)));
    }

    /**
     * Adds a backend and starts to connect it. Returns empty if the name is taken, ignoring case. Throws
     * {@link InvalidBackendException} if the definition is invalid.
     *
     * @param tenant the tenant whose secrets the backend may use
     */
    public synchronized Optional<BackendSnapshot> add(
            String name, String kind, Json settings, boolean enabled, String tenant) {
        BackendDefinition definition =
                new BackendDefinition(name, kind, settings, enabled, BackendOrigin.API, newVersion(), tenant);
        check(definition);
        sync();
        if (isNameTaken(name) || !store.add(definition)) {
            return Optional.empty();
        }
        sync();
        return find(name);
    }

    private boolean isNameTaken(String name) {
        return Stream.concat(registered.keySet().stream(), notHosted.keySet().stream())
                        .anyMatch(other -> other.equalsIgnoreCase(name))
                || catalog.all().stream().anyMatch(tool -> tool.backend().name().equalsIgnoreCase(name));
    }

    /**
     * Replaces the configuration of a backend and reconnects it. Returns empty if there is no such backend. Throws
     * {@link InvalidBackendException} if the definition is invalid.
     *
     * @param tenant the tenant whose secrets the backend may use from now on, never those of the tenant that configured
     *     it before
     */
    public synchronized Optional<BackendSnapshot> update(
            String name, String kind, Json settings, boolean enabled, String tenant) {
        return store.find(name).flatMap(before -> {
            BackendDefinition definition =
                    new BackendDefinition(name, kind, settings, enabled, before.origin(), newVersion(), tenant);
            check(definition);
            store.put(definition);
            sync();
            return find(name);
        });
    }

    /** Closes a backend and deletes its definition; false if there is no such backend. */
    public synchronized boolean remove(String name) {
        boolean removed = store.remove(name);
        sync();
        return removed;
    }

    /** Reconnects a backend on every node; empty if there is no such backend. */
    public Optional<BackendSnapshot> restart(String name) {
        return store.find(name)
                .flatMap(before -> update(name, before.kind(), before.settings(), before.enabled(), before.tenant()));
    }

    /** The tools of a backend, including those that cannot be called; empty if there is no such backend. */
    public List<PinnedToolDefinition> tools(String name) {
        return Optional.ofNullable(registered.get(name))
                .map(one -> one.backend().pinnedTools())
                .orElse(List.of());
    }

    /**
     * Why tools of a backend cannot be called because of their declarations, by their names; empty if there is no such
     * backend.
     */
    public Map<String, String> unusableTools(String name) {
        return Optional.ofNullable(registered.get(name))
                .map(one -> one.backend().unusableTools())
                .orElse(Map.of());
    }

    /**
     * Latency of recent calls of a backend, by the names of the tools that were called; empty if there is no such
     * backend.
     */
    public Map<String, LatencyHistogram.LatencyPercentiles> latencies(String name) {
        return Optional.ofNullable(registered.get(name))
                .map(one -> one.backend().latencyByTool())
                .orElse(Map.of());
    }

    /** Accepts the changed definition of a tool, identified by its hash; false if no such change is pending. */
    public synchronized boolean acceptToolChange(String backend, String tool, String hash) {
        if (!store.acceptPending(backend, tool, hash)) {
            return false;
        }
        restart(backend); // other nodes see the new version and reload the backend
        return true;
    }

    private static String newVersion() {
        return UUID.randomUUID().toString();
    }

    /**
     * Stops consuming calls, so that other nodes take them. Returns after the last received call was handed over, or
     * after {@code timeout}.
     */
    public void stopConsuming(Duration timeout) throws InterruptedException {
        List<BackendConsumers.Subscription> all;
        synchronized (this) {
            closed = true;
            all = registered.values().stream()
                    .map(RegisteredBackend::subscription)
                    .toList();
        }
        all.forEach(BackendConsumers.Subscription::close);
        long end = System.nanoTime() + timeout.toNanos();
        for (BackendConsumers.Subscription each : all) {
            each.awaitTermination(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    /** Closes all connections; the definitions in the database stay. */
    @Override
    public synchronized void close() {
        closed = true;
        registered.values().forEach(one -> {
            one.subscription().close();
            one.backend().close();
        });
        registered.clear();
    }
}
