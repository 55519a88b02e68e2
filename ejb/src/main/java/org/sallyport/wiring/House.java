package org.sallyport.wiring;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.enterprise.inject.Produces;
import jakarta.jms.ConnectionFactory;
import jakarta.resource.ConnectionFactoryDefinition;
import jakarta.resource.spi.TransactionSupport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.AdminKey;
import org.sallyport.access.CachedApiKeys;
import org.sallyport.access.Keys;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.bridge.CallGate;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.Catalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.Connector;
import org.sallyport.connector.ConnectorHost;
import org.sallyport.connector.demo.DemoConnector;
import org.sallyport.event.EventBus;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.library.LibraryModules;
import org.sallyport.messaging.Destinations;
import org.sallyport.messaging.JmsSender;
import org.sallyport.messaging.MessageSender;
import org.sallyport.policy.Policy;
import org.sallyport.runner.Canceller;
import org.sallyport.runner.EventWord;
import org.sallyport.runner.NodeIdentity;
import org.sallyport.runner.RunContext;
import org.sallyport.runner.Runner;
import org.sallyport.runner.Sweeper;
import org.sallyport.runner.Toolboxes;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.store.Database;
import org.sallyport.store.JpaApiKeyStore;
import org.sallyport.store.JpaArtifactStore;
import org.sallyport.store.JpaDemoStore;
import org.sallyport.store.JpaEventStore;
import org.sallyport.store.JpaExecutionStore;
import org.sallyport.store.JpaJournal;
import org.sallyport.submission.JobDispatch;
import org.sallyport.submission.Reception;

/**
 * Builds every room once, in the order in which they need each other, and takes them down in reverse. Listeners and
 * resources get the rooms by injection, which makes them wait until all stand.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionManagement(TransactionManagementType.BEAN)
@ConnectionFactoryDefinition(
        name = House.CONNECTIONS,
        interfaceName = "jakarta.jms.ConnectionFactory",
        resourceAdapter = Destinations.FACTORY_ADAPTER,
        minPoolSize = 0,
        maxPoolSize = 64,
        transactionSupport = TransactionSupport.TransactionSupportLevel.NoTransaction)
public class House {
    static final String CONNECTIONS = "java:app/jms/sallyport";

    private static final int PRODUCERS = 16;
    private static final int DISPATCH_THREADS = 2;
    private static final int DISPATCH_QUEUE = 20_000;
    private static final Duration KEYS_REMEMBERED = Duration.ofSeconds(2);
    private static final long SHUTDOWN_GRACE_MILLIS = 3_000;

    @Resource(lookup = CONNECTIONS)
    ConnectionFactory connections;

    private final Shutdown shutdown = new Shutdown();
    private @Nullable Rooms rooms;

    /** What others are given. */
    private record Rooms(
            Configuration configuration,
            Keys keys,
            Catalog catalog,
            ExecutionStore store,
            Journal journal,
            ArtifactStore artifacts,
            EventBus events,
            Waiting waiting,
            Sandbox sandbox,
            MessageSender sender,
            JmsToolBridge bridge,
            ConnectorHost connectors,
            Runner runner,
            Canceller canceller,
            Reception reception) {}

    @PostConstruct
    void build() {
        try {
            rooms = rooms();
        } catch (IOException e) {
            shutdown.run();
            throw new IllegalStateException("the data directory cannot be used: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            shutdown.run();
            throw e;
        }
    }

    private Rooms rooms() throws IOException {
        InstantSource clock = InstantSource.system();
        SecureRandom random = new SecureRandom();
        Configuration configuration = Configuration.read(properties(), System.getenv());
        Listening.check(configuration);
        Path data = configuration.get(Settings.DATA).toAbsolutePath().normalize();
        Files.createDirectories(data);
        // First, since workers start while the database is opened; closed again below, before what their sessions need.
        Sandbox sandbox = shutdown.closing("sandbox", Sandboxes.open(configuration, data));

        Threads threads = shutdown.closing("threads", new Threads(configuration.integer(Settings.DB_POOL)));
        Database database = shutdown.closing("database", Databases.open(configuration, data));
        ExecutionStore store = new JpaExecutionStore(database, configuration.get(Settings.RUNNER_RESEND));
        Journal journal = new JpaJournal(database);
        Keys keys = new Keys(new CachedApiKeys(new JpaApiKeyStore(database), clock, KEYS_REMEMBERED), clock, random);
        AdminKey.ensure(data, keys);

        String life = Optional.ofNullable(System.getProperty(Destinations.INCARNATION))
                .orElseGet(() -> UUID.randomUUID().toString());
        NodeIdentity node = NodeIdentity.of(data, configuration.get(Settings.NODE_ID), life);
        JmsSender sender = shutdown.closing("message producers", new JmsSender(connections, PRODUCERS));
        Catalog catalog = new Catalog();
        List<Connector> connectors = connectors(configuration, database, clock, threads);
        connectors.forEach(connector ->
                catalog.put(new Backend(connector.backend(), "java", Destinations.JAVA_TOOLS), connector.tools()));
        JmsToolBridge bridge = new JmsToolBridge(
                catalog, sender, Destinations.REPLY_PREFIX + life, threads.scheduler(), clock, random);

        shutdown.closing("sandbox", sandbox);
        Completions completions = new Completions();
        ArtifactStore artifacts = new JpaArtifactStore(database);
        EventBus events = events(database, sender, threads);
        Toolboxes toolboxes = new Toolboxes(catalog, modules(configuration));
        RunContext context = new RunContext(
                sandbox,
                catalog,
                new CallGate(catalog, Policy.standard()),
                bridge,
                journal,
                artifacts,
                events,
                toolboxes,
                threads.blocking(),
                threads.scheduler(),
                clock,
                nodeLimits(configuration));
        Runner runner = new Runner(
                store, context, completions, node.incarnation(), configuration.integer(Settings.RUNNER_LIVE));
        shutdown.closing("runner", () -> runner.close(SHUTDOWN_GRACE_MILLIS));
        JobDispatch dispatch = shutdown.closing(
                "job dispatch",
                new JobDispatch(sender, Threads.named("sallyport-dispatch"), DISPATCH_THREADS, DISPATCH_QUEUE));
        Sweeper sweeper = new Sweeper(
                store,
                journal,
                dispatch,
                runner,
                completions,
                new Sweeper.Events(events, configuration.get(Settings.EVENTS_KEPT)),
                node.incarnation(),
                configuration.get(Settings.RUNNER_RESEND));
        sweeper.endOrphans(node.id());
        startSweeping(sweeper, configuration, threads);
        return new Rooms(
                configuration,
                keys,
                catalog,
                store,
                journal,
                artifacts,
                events,
                new Waiting(store, completions, threads.scheduler(), threads.blocking()),
                sandbox,
                sender,
                bridge,
                new ConnectorHost(connectors, sender, clock, configuration.get(Settings.LIMIT_CALL_RESULT)),
                runner,
                new Canceller(store, runner, completions, sender, threads.blocking()),
                new Reception(
                        configuration,
                        new ExecutionIds(clock, random),
                        sandbox,
                        Sandboxes.tiers(toolboxes),
                        store,
                        dispatch,
                        threads.blocking()));
    }

    private static EventBus events(Database database, MessageSender sender, Threads threads) {
        EventWord word = new EventWord(sender, threads.blocking());
        return new EventBus(new JpaEventStore(database), word::tell, threads.scheduler(), threads.blocking());
    }

    private static List<LibraryModule> modules(Configuration configuration) {
        String registry = configuration.get(Settings.MODULES);
        return registry.isEmpty() ? List.of() : LibraryModules.read(Path.of(registry));
    }

    private static List<Connector> connectors(
            Configuration configuration, Database database, InstantSource clock, Threads threads) {
        return configuration.get(Settings.PROFILES).contains("demo")
                ? List.of(new DemoConnector(new JpaDemoStore(database), clock, threads.scheduler(), threads.blocking()))
                : List.of();
    }

    /** The sweep waits for the database, so it gets a thread of its own. */
    private void startSweeping(Sweeper sweeper, Configuration configuration, Threads threads) {
        long millis = configuration.get(Settings.RUNNER_SWEEP).toMillis();
        ScheduledExecutorService sweeping = threads.single("sallyport-sweeper");
        sweeping.scheduleWithFixedDelay(sweeper::sweep, millis, millis, TimeUnit.MILLISECONDS);
        shutdown.closing("sweeper", sweeping::shutdownNow);
    }

    private static RunContext.NodeLimits nodeLimits(Configuration configuration) {
        return new RunContext.NodeLimits(
                configuration.get(Settings.RUNNER_FLUSH),
                configuration.get(Settings.LIMIT_CALL),
                configuration.integer(Settings.LIMIT_CONCURRENT_CALLS),
                configuration.integer(Settings.LIMIT_RESULT),
                configuration.integer(Settings.LIMIT_CALL_ARGS),
                configuration.integer(Settings.LIMIT_TIMERS),
                configuration.integer(Settings.LIMIT_ARTIFACTS),
                configuration.integer(Settings.LIMIT_ARTIFACT_BYTES),
                configuration.integer(Settings.LIMIT_EVENTS));
    }

    private static Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        System.getProperties().forEach((name, value) -> properties.put(String.valueOf(name), String.valueOf(value)));
        return properties;
    }

    @PreDestroy
    void takeDown() {
        shutdown.run();
    }

    private Rooms standing() {
        Rooms standing = rooms;
        if (standing == null) {
            throw new IllegalStateException("the service has not started");
        }
        return standing;
    }

    @Produces
    public Configuration configuration() {
        return standing().configuration();
    }

    @Produces
    public Keys keys() {
        return standing().keys();
    }

    @Produces
    public Catalog catalog() {
        return standing().catalog();
    }

    @Produces
    public ExecutionStore store() {
        return standing().store();
    }

    @Produces
    public Journal journal() {
        return standing().journal();
    }

    @Produces
    public ArtifactStore artifacts() {
        return standing().artifacts();
    }

    @Produces
    public EventBus events() {
        return standing().events();
    }

    @Produces
    public Waiting waiting() {
        return standing().waiting();
    }

    @Produces
    public Sandbox sandbox() {
        return standing().sandbox();
    }

    @Produces
    public MessageSender sender() {
        return standing().sender();
    }

    @Produces
    public JmsToolBridge bridge() {
        return standing().bridge();
    }

    @Produces
    public ConnectorHost connectorHost() {
        return standing().connectors();
    }

    @Produces
    public Runner runner() {
        return standing().runner();
    }

    @Produces
    public Canceller canceller() {
        return standing().canceller();
    }

    @Produces
    public Reception reception() {
        return standing().reception();
    }
}
