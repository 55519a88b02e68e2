package org.sallyport.wiring;

import jakarta.jms.ConnectionFactory;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.sallyport.access.AdminKey;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.CachedApiKeys;
import org.sallyport.access.KeyUses;
import org.sallyport.access.Keys;
import org.sallyport.access.Sessions;
import org.sallyport.access.Standing;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.audit.AuditLog;
import org.sallyport.batch.BatchStore;
import org.sallyport.bridge.CallGate;
import org.sallyport.bridge.CallGrounds;
import org.sallyport.bridge.ForkedBridge;
import org.sallyport.bridge.HeldByKeys;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.bridge.SharedReads;
import org.sallyport.callback.CallbackFlow;
import org.sallyport.callback.CallbackStore;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.Published;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.ValueSchemas;
import org.sallyport.certificate.Certificates;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.QuotaSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.configuration.ToolGraphSettings;
import org.sallyport.connector.Backends;
import org.sallyport.connector.Connector;
import org.sallyport.connector.ConnectorHost;
import org.sallyport.connector.JmsBackendQueues;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.bean.AnnotatedBeans;
import org.sallyport.connector.bean.Bean;
import org.sallyport.connector.demo.DemoConnector;
import org.sallyport.connector.external.Admission;
import org.sallyport.connector.external.Clocks;
import org.sallyport.connector.external.EmbeddedAdmission;
import org.sallyport.connector.external.ExternalKind;
import org.sallyport.connector.sallyport.OtherInstallations;
import org.sallyport.event.EventBus;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Census;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.library.LibraryModules;
import org.sallyport.messaging.Destinations;
import org.sallyport.messaging.JmsSender;
import org.sallyport.messaging.MessageSender;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeStore;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.SpendingStore;
import org.sallyport.quota.Quota;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.Quotas;
import org.sallyport.quota.RunQuotas;
import org.sallyport.rules.HiddenByPolicy;
import org.sallyport.rules.PolicyBook;
import org.sallyport.runner.ApprovalDesk;
import org.sallyport.runner.ApprovalLinks;
import org.sallyport.runner.Canceller;
import org.sallyport.runner.DeadLetters;
import org.sallyport.runner.EventWord;
import org.sallyport.runner.HeapWatch;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Recovery;
import org.sallyport.runner.Retention;
import org.sallyport.runner.RunContext;
import org.sallyport.runner.RunWatch;
import org.sallyport.runner.Runner;
import org.sallyport.runner.Sweeper;
import org.sallyport.runner.Toolboxes;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.script.ScriptStore;
import org.sallyport.secret.Hidden;
import org.sallyport.secret.Vault;
import org.sallyport.store.Database;
import org.sallyport.store.JpaApiKeyStore;
import org.sallyport.store.JpaApprovalLinkStore;
import org.sallyport.store.JpaApprovalStore;
import org.sallyport.store.JpaArtifactStore;
import org.sallyport.store.JpaAuditStore;
import org.sallyport.store.JpaBackendStore;
import org.sallyport.store.JpaBatchStore;
import org.sallyport.store.JpaBlockedSubjectStore;
import org.sallyport.store.JpaCallbackStore;
import org.sallyport.store.JpaCapabilityStore;
import org.sallyport.store.JpaCensus;
import org.sallyport.store.JpaDeadLetterStore;
import org.sallyport.store.JpaDemoStore;
import org.sallyport.store.JpaEventStore;
import org.sallyport.store.JpaExecutionStore;
import org.sallyport.store.JpaFinishedExecutions;
import org.sallyport.store.JpaJournal;
import org.sallyport.store.JpaKeyUseStore;
import org.sallyport.store.JpaNestedRunStore;
import org.sallyport.store.JpaNodeStore;
import org.sallyport.store.JpaPolicyStore;
import org.sallyport.store.JpaQuotaStore;
import org.sallyport.store.JpaResultCache;
import org.sallyport.store.JpaScheduleStore;
import org.sallyport.store.JpaScriptStore;
import org.sallyport.store.JpaSecretStore;
import org.sallyport.store.JpaSessionStore;
import org.sallyport.store.JpaSpendingStore;
import org.sallyport.store.JpaTenantStore;
import org.sallyport.store.JpaToolGraphStore;
import org.sallyport.submission.BatchFlow;
import org.sallyport.submission.Batches;
import org.sallyport.submission.CapabilityRuns;
import org.sallyport.submission.EarlierAnswers;
import org.sallyport.submission.JobDispatch;
import org.sallyport.submission.NestedRuns;
import org.sallyport.submission.NestedSubmission;
import org.sallyport.submission.Reception;
import org.sallyport.submission.Reruns;
import org.sallyport.submission.RunMaker;
import org.sallyport.submission.ScheduleFlow;
import org.sallyport.submission.Schedules;
import org.sallyport.submission.ScriptRuns;
import org.sallyport.submission.Tiers;
import org.sallyport.submission.TurnFlow;
import org.sallyport.token.Logins;
import org.sallyport.token.Tokens;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Hops;
import org.sallyport.toolgraph.ToolGraphLearner;
import org.sallyport.toolgraph.ToolGraphStore;
import org.sallyport.toolgraph.ToolGraphs;

/** Puts the rooms together, in the order in which they need each other. */
final class Building {
    private static final int PRODUCERS = 16;
    private static final int DISPATCH_THREADS = 2;
    private static final Duration POLICIES_FRESH = Duration.ofSeconds(2);
    private static final Duration TOOL_GRAPH_LOOK = Duration.ofSeconds(2);
    private static final Duration AUDIT_LOOK = Duration.ofHours(1);
    private static final Duration KEY_USES_WRITTEN = Duration.ofMinutes(1);
    private static final Duration KEYS_REMEMBERED = CachedApiKeys.REMEMBERED;
    /** Readers of queues look up from them every second. */
    private static final Duration LAST_LOOK = Duration.ofSeconds(2);

    private final ConnectionFactory connections;
    private final List<Bean> beans;
    private final Shutdown shutdown;

    /**
     * @param beans backends of the application, whatever their profiles
     * @param shutdown is told of everything that must be closed
     */
    Building(ConnectionFactory connections, List<Bean> beans, Shutdown shutdown) {
        this.connections = connections;
        this.beans = List.copyOf(beans);
        this.shutdown = shutdown;
    }

    /** How often the call of an execution has gone on until it came here. */
    private static int hops(ExecutionStore store, String tenant, CallId call) {
        return ExecutionId.parse(call.execution())
                .flatMap(id -> store.submitted(tenant, id))
                .map(execution -> Hops.of(execution.summary().labels()))
                .orElse(0);
    }

    /** Builds all; what was built before a failure is closed by {@code shutdown}. */
    Rooms rooms() throws IOException {
        InstantSource clock = InstantSource.system();
        SecureRandom random = new SecureRandom();
        Configuration configuration = Configuration.read(properties(), System.getenv());
        Listening.check(configuration, clock);
        TelemetryRooms telemetry = new TelemetryRooms(configuration);
        Tokens.check(configuration);
        Certificates.check(configuration);
        Logins.check(configuration);
        Path data = configuration.get(Settings.DATA).toAbsolutePath().normalize();
        Files.createDirectories(data);
        shutdown.closing("data directory", DataLock.take(data));
        // First, since workers start while the database is opened; closed again below, before what their sessions need.
        Sandbox sandbox = shutdown.closing("sandbox", Sandboxes.open(configuration, data));

        Threads threads = shutdown.closing("threads", new Threads(configuration.integer(Settings.DB_POOL)));
        Database database = shutdown.closing("database", Databases.open(configuration, data, clock));
        JpaExecutionStore store = new JpaExecutionStore(
                database, configuration.get(Settings.RUNNER_RESEND), configuration.integer(LimitSettings.OF_KEY));
        Journal journal = new JpaJournal(database, configuration.integer(LimitSettings.SCRIPTS));
        ExecutionIds ids = new ExecutionIds(clock, random);
        CachedApiKeys apiKeys = new CachedApiKeys(new JpaApiKeyStore(database), clock, KEYS_REMEMBERED);
        Keys keys = new Keys(apiKeys, clock, random);
        KeyUses keyUses = new KeyUses(new JpaKeyUseStore(database), clock);
        shutdown.closing("uses of keys", keyUses::write);
        threads.repeat(keyUses::write, KEY_USES_WRITTEN);
        BlockedSubjects blocked = new BlockedSubjects(
                new JpaBlockedSubjectStore(database), () -> ids.next().value(), clock, KEYS_REMEMBERED);
        Certificates certificates = Certificates.open(configuration, blocked, clock);
        Tokens tokens = Tokens.open(configuration, blocked, clock, threads.blocking());
        Logins logins = Logins.open(configuration, tokens, clock, random, threads.blocking());
        Standing standing = new Standing(keys, blocked, clock);
        AdminKey.ensure(data, keys);

        String life = NodeLife.life();
        NodeIdentity node = NodeLife.identity(configuration, data, life);
        JmsSender sender = shutdown.closingLast("message producers", new JmsSender(connections, PRODUCERS));
        Catalog catalog = new Catalog();
        List<Connector> connectors = connectors(configuration, database, clock, threads);
        connectors.forEach(connector ->
                catalog.put(new Backend(connector.backend(), "java", Destinations.JAVA_TOOLS), connector.tools()));
        ConnectorHost host =
                new ConnectorHost(connectors, sender, clock, configuration.get(LimitSettings.CALL_RESULT), node.id());
        Vault vault = Vaults.open(configuration, data, new JpaSecretStore(database), clock, random);
        SecretAccess secrets = new SecretAccess(vault);
        ConfiguredBackends configured = new ConfiguredBackends(
                threads,
                clock,
                random,
                secrets,
                run -> List.of(
                        annotated(configuration, connectors),
                        new ExternalKind(
                                new ExternalKind.Wires(connections, sender, life, Threads.named("sallyport-connector")),
                                configuration.get(Settings.BROKER_URL).isEmpty()
                                        ? new EmbeddedAdmission()
                                        : Admission.ELSEWHERE,
                                secrets,
                                run,
                                new Clocks(clock, System::nanoTime),
                                random),
                        // A thread for each call under way; backends bound how many those are.
                        new OtherInstallations(
                                Executors.newCachedThreadPool(Threads.named("sallyport-there")),
                                secrets,
                                (tenant, call) -> hops(store, tenant, call),
                                clock)));
        Backends backends = shutdown.closing(
                "backends",
                configured.open(
                        new JpaBackendStore(database),
                        catalog,
                        host,
                        new JmsBackendQueues(connections, host, Threads.named("sallyport-calls"))));
        configured.start(backends, configuration, data);
        Duration grace = configuration.get(Settings.SHUTDOWN_GRACE);
        String replies = Destinations.REPLY_PREFIX + life;
        shutdown.closing("calls of other nodes", () -> {
            backends.deafen(LAST_LOOK);
            host.drain(replies, grace);
        });
        JmsToolBridge bridge = new JmsToolBridge(
                catalog, sender, replies, threads.scheduler(), threads.blocking(), clock, vault::redaction, random);

        PolicyStore policyStore = new JpaPolicyStore(database);
        PolicyBook policies = new PolicyBook(policyStore, System::nanoTime, POLICIES_FRESH);
        Hidden hidden = new HiddenByPolicy(vault::redaction, policies);
        // Closed after the runner, whose last executions are told too.
        Consumer<ExecutionId> spans = telemetry.begin(database, journal, hidden::of, node.id(), threads, shutdown);
        shutdown.closing("sandbox", sandbox);
        Completions completions = new Completions();
        ArtifactStore artifacts = new JpaArtifactStore(database);
        Map<String, Integer> weights = configuration.get(Settings.QUEUE_WEIGHTS);
        JobDispatch dispatch = new JobDispatch(
                sender,
                Threads.named("sallyport-dispatch"),
                DISPATCH_THREADS,
                configuration.integer(Settings.QUEUE_WINDOW),
                tenant -> weights.getOrDefault(tenant, 1));
        EventBus events = events(database, sender, dispatch, threads);
        Toolboxes toolboxes = new Toolboxes(catalog, modules(configuration));
        ApprovalStore approvals =
                new JpaApprovalStore(database, () -> ids.next().value());
        QuotaStore quotaStore = new JpaQuotaStore(database);
        Quotas quotas = new Quotas(
                quotaStore,
                Map.of(
                        Quota.QUEUED,
                        configuration.get(LimitSettings.QUEUED),
                        Quota.LIVE,
                        configuration.get(QuotaSettings.LIVE),
                        Quota.TOOL_CALLS,
                        configuration.get(QuotaSettings.TOOL_CALLS),
                        Quota.STORED_BYTES,
                        configuration.get(QuotaSettings.STORED_BYTES)),
                System::nanoTime,
                POLICIES_FRESH);
        SpendingStore spending = new JpaSpendingStore(database);
        CapabilityStore capabilities = new JpaCapabilityStore(database);
        SchemaCheck schemas = new ValueSchemas();
        Published published = new Published(capabilities);
        CallGate gate = new CallGate(
                catalog,
                policies,
                new CapabilityTools(published)::find,
                new HeldByKeys(apiKeys, clock, KEYS_REMEMBERED));
        Waiting waiting = new Waiting(store, completions, threads.scheduler(), threads.blocking());
        Tiers tiers = Sandboxes.tiers(toolboxes);
        NestedRunStore nestedStore = new JpaNestedRunStore(database, store);
        CompletableFuture<Canceller> cancellers = new CompletableFuture<>();
        NestedRuns nested = new NestedRuns(
                nestedStore,
                store,
                new NestedSubmission(configuration, published, schemas, nestedStore, store, ids, tiers),
                dispatch,
                waiting,
                (tenant, id) -> cancellers.thenAccept(canceller -> canceller.cancel(tenant, id)));
        SharedReads shared = new SharedReads(
                new ForkedBridge(bridge, nested),
                threads.blocking(),
                clock,
                vault::redaction,
                configuration.get(BatchSettings.SHARED_BYTES),
                configuration.get(BatchSettings.SHARED_AGE));
        RunContext context = new RunContext(
                sandbox,
                catalog,
                gate,
                shared,
                shared,
                journal,
                approvals,
                spending,
                RunQuotas.of(quotaStore, quotas),
                artifacts,
                nestedStore::calledAround,
                events,
                toolboxes,
                new RunWatch(),
                threads.blocking(),
                hidden,
                threads.scheduler(),
                clock,
                nodeLimits(configuration));
        Runner runner = new Runner(
                store,
                context,
                completions,
                configuration.integer(Settings.RUNNER_LIVE),
                new HeapWatch(configuration.integer(Settings.RUNNER_HEAP)),
                LoggedTraces.of(configuration));
        runner.tellTurns(new TurnFlow(store, dispatch, threads.blocking())::ended);
        NodeLife nodeLife = new NodeLife(configuration, threads);
        NodeStore nodes = new JpaNodeStore(database);
        LeaseKeeper lease =
                new LeaseKeeper(nodes, node, configuration.get(Settings.NODE_LEASE), System::nanoTime, runner);
        shutdown.closing("lease", () -> nodeLife.end(lease));
        shutdown.closing("runner", () -> runner.close(grace.toMillis()));
        shutdown.closing("job dispatch", dispatch);
        Sweeper sweeper = new Sweeper(
                store,
                new Recovery(store, journal, completions, configuration.integer(Settings.MAX_ATTEMPTS)),
                dispatch,
                runner,
                approvals,
                events,
                retention(configuration, database, events),
                configuration.get(Settings.RUNNER_RESEND));
        BatchStore batchStore = new JpaBatchStore(database, configuration.get(Settings.RUNNER_RESEND));
        BatchFlow flow = new BatchFlow(batchStore, dispatch, threads.blocking());
        CallbackStore callbackStore = new JpaCallbackStore(database);
        CallbackRooms callbackRooms = new CallbackRooms(configuration, data, callbackStore, random, threads, shutdown);
        CallbackFlow callbacks = callbackRooms.flow(store, random, threads, shutdown);
        completions.tell(id -> {
            flow.ended(id);
            callbacks.ended(id);
            spans.accept(id);
        });
        Census census = new JpaCensus(database);
        ScriptStore scripts = new JpaScriptStore(database);
        Reception reception = new Reception(
                configuration,
                ids,
                sandbox,
                tiers,
                store,
                census,
                quotas,
                dispatch,
                threads.blocking(),
                callbackRooms.callbacks()::fault,
                telemetry.sampler(),
                scripts,
                new EarlierAnswers(
                        new JpaResultCache(database, store),
                        journal,
                        new CallGrounds(catalog, gate, policyStore, fingerprint(modules(configuration)), clock)),
                completions::ended,
                clock);
        ScriptRuns scriptRuns = new ScriptRuns(scripts, reception, clock);
        CapabilityRuns capabilityRuns = new CapabilityRuns(capabilities, schemas, reception);
        Batches batches = new Batches(
                configuration,
                reception,
                scriptRuns,
                capabilityRuns,
                new Reruns(configuration, store, reception),
                ids,
                store,
                batchStore,
                flow);
        threads.repeat(flow::look, configuration.get(Settings.RUNNER_SWEEP));
        threads.repeat(() -> shared.look(batchStore::lives), configuration.get(Settings.RUNNER_SWEEP));
        Canceller canceller = new Canceller(store, runner, completions, catalog, sender, threads.blocking());
        cancellers.complete(canceller);
        threads.repeat(canceller::endLate, configuration.get(Settings.RUNNER_SWEEP));
        threads.repeat(nested::look, configuration.get(Settings.RUNNER_SWEEP));
        RunMaker maker = new RunMaker(reception, capabilityRuns);
        ScheduleStore scheduleStore = new JpaScheduleStore(database, configuration.get(Settings.RUNNER_RESEND));
        ScheduleFlow timetable =
                new ScheduleFlow(configuration, scheduleStore, keys, maker, dispatch, canceller::cancel);
        shutdown.closing(
                "schedules",
                new Repeating(
                        threads, "sallyport-schedules", timetable::look, configuration.get(Settings.RUNNER_SWEEP)));
        shutdown.closing("sweeper", nodeLife::endSweeping);
        nodeLife.begin(lease, sweeper);
        ApprovalDesk desk = new ApprovalDesk(
                approvals,
                gate,
                dispatch,
                runner,
                vault::redaction,
                (tenant, id) -> capability(store, tenant, id),
                configuration.get(Settings.APPROVE_OWN));
        return new Rooms(
                configuration,
                keys,
                keyUses,
                tokens,
                certificates,
                blocked,
                standing,
                new Sessions(
                        new JpaSessionStore(database),
                        keys,
                        person -> standing.holds(person) && logins.brought(person),
                        clock,
                        random),
                logins,
                catalog,
                gate,
                store,
                nestedStore,
                journal,
                approvals,
                desk,
                new ApprovalLinks(
                        approvals,
                        new JpaApprovalLinkStore(database),
                        desk::isOwn,
                        keys,
                        standing,
                        certificates::named,
                        () -> ids.next().value(),
                        random,
                        clock),
                policyStore,
                policies,
                spending,
                quotaStore,
                quotas,
                new JpaTenantStore(database),
                artifacts,
                events,
                waiting,
                sandbox,
                sender,
                bridge,
                host,
                backends,
                vault,
                hidden,
                runner,
                dispatch,
                lease,
                new DeadLetters(store, completions),
                new JpaDeadLetterStore(database),
                canceller,
                reception,
                batchStore,
                batches,
                capabilities,
                schemas,
                census,
                nodes,
                scheduleStore,
                new Schedules(configuration, maker, reception, ids, scheduleStore, dispatch, clock),
                audit(configuration, database, ids, threads),
                callbackStore,
                callbackRooms.signatures(),
                telemetry.figures(),
                scripts,
                scriptRuns,
                toolGraphs(configuration, database, hidden, clock, threads));
    }

    private static Optional<String> capability(ExecutionStore store, String tenant, ExecutionId id) {
        return store.find(tenant, id)
                .flatMap(execution -> execution.summary().capability())
                .map(CapabilityRef::toString);
    }

    private ToolGraphs toolGraphs(
            Configuration configuration, Database database, Hidden hidden, InstantSource clock, Threads threads) {
        ToolGraphStore store = new JpaToolGraphStore(database);
        int weeks = configuration.integer(ToolGraphSettings.WEEKS);
        if (weeks > 0) {
            ToolGraphLearner learner = new ToolGraphLearner(
                    store,
                    (tenant, intent) -> hidden.of(tenant).of(intent),
                    configuration.get(ToolGraphSettings.SETTLED),
                    weeks,
                    clock);
            shutdown.closing(
                    "tool graph", new Repeating(threads, "sallyport-tool-graph", learner::look, TOOL_GRAPH_LOOK));
        }
        return new ToolGraphs(store, weeks, clock);
    }

    private static AuditLog audit(Configuration configuration, Database database, ExecutionIds ids, Threads threads) {
        AuditLog audit =
                new AuditLog(new JpaAuditStore(database), () -> ids.next().value(), System::nanoTime);
        Duration kept = Duration.ofDays(configuration.get(Settings.AUDIT_KEPT));
        if (!kept.isZero()) {
            threads.repeat(() -> audit.purge(kept), AUDIT_LOOK);
        }
        return audit;
    }

    private static Retention retention(Configuration configuration, Database database, EventBus events) {
        return new Retention(
                new JpaFinishedExecutions(database),
                Duration.ofDays(configuration.get(Settings.FINISHED_KEPT)),
                events,
                configuration.get(Settings.EVENTS_KEPT),
                System::nanoTime);
    }

    private static EventBus events(Database database, MessageSender sender, JobDispatch dispatch, Threads threads) {
        EventWord word = new EventWord(sender, threads.blocking());
        return new EventBus(
                new JpaEventStore(database), word::tell, dispatch::send, threads.scheduler(), threads.blocking());
    }

    private static List<LibraryModule> modules(Configuration configuration) {
        String registry = configuration.get(Settings.MODULES);
        return registry.isEmpty() ? List.of() : LibraryModules.read(Path.of(registry));
    }

    private static String fingerprint(List<LibraryModule> modules) {
        return modules.stream()
                .map(module -> module.name() + "@" + module.version() + "#" + module.sha256())
                .sorted()
                .collect(Collectors.joining(","));
    }

    private AnnotatedBeans annotated(Configuration configuration, List<Connector> others) {
        List<String> profiles = configuration.get(Settings.PROFILES);
        // A thread for each call under way; backends bound how many those are.
        ExecutorService calls = Executors.newCachedThreadPool(Threads.named("sallyport-java"));
        // Opened before the backends and so closed after them: closing those still needs it.
        shutdown.closing("calls of beans", calls::shutdown);
        return new AnnotatedBeans(
                beans.stream()
                        .filter(bean -> bean.backend().profile().isEmpty()
                                || profiles.contains(bean.backend().profile()))
                        .toList(),
                others.stream().map(Connector::backend).collect(Collectors.toSet()),
                calls);
    }

    private static List<Connector> connectors(
            Configuration configuration, Database database, InstantSource clock, Threads threads) {
        return configuration.get(Settings.PROFILES).contains("demo")
                ? List.of(new DemoConnector(new JpaDemoStore(database), clock, threads.scheduler(), threads.blocking()))
                : List.of();
    }

    private static RunContext.NodeLimits nodeLimits(Configuration configuration) {
        return new RunContext.NodeLimits(
                configuration.get(Settings.RUNNER_FLUSH),
                configuration.get(Settings.RUNNER_PARK),
                configuration.get(LimitSettings.PARKED),
                configuration.get(LimitSettings.CALL),
                configuration.integer(LimitSettings.CONCURRENT_CALLS),
                configuration.integer(LimitSettings.RESULT),
                configuration.integer(LimitSettings.CALL_ARGS),
                configuration.integer(LimitSettings.TIMERS),
                configuration.integer(LimitSettings.ARTIFACTS),
                configuration.integer(LimitSettings.ARTIFACT_BYTES),
                configuration.integer(LimitSettings.EVENTS));
    }

    private static Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        System.getProperties().forEach((name, value) -> properties.put(String.valueOf(name), String.valueOf(value)));
        return properties;
    }
}
