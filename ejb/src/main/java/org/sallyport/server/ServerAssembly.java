package org.sallyport.server;

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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.audit.AuditLog;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.BootstrapAdminKey;
import org.sallyport.auth.CachingApiKeyStore;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.batch.BatchStore;
import org.sallyport.bridge.ApiKeySubmitterGrants;
import org.sallyport.bridge.CallFingerprints;
import org.sallyport.bridge.CatalogReadOnlyGrantChecker;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.bridge.RoutingToolBridge;
import org.sallyport.bridge.SharedReadToolBridge;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.bridge.ToolReplyReceiver;
import org.sallyport.callback.CallbackDispatcher;
import org.sallyport.callback.CallbackStore;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.CachingSchemaValidator;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CapabilityToolTracker;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.RequiredToolFinder;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.QuotaSettings;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.configuration.SecretSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.configuration.ToolGraphSettings;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.Connector;
import org.sallyport.connector.ConnectorDispatcher;
import org.sallyport.connector.JmsBackendConsumers;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.connector.bean.BackendBean;
import org.sallyport.connector.bean.BeanBackendType;
import org.sallyport.connector.demo.DemoConnector;
import org.sallyport.connector.external.ConnectorAccounts;
import org.sallyport.connector.external.EmbeddedBrokerAccounts;
import org.sallyport.connector.external.ExternalBackendType;
import org.sallyport.connector.external.TimeSource;
import org.sallyport.connector.sallyport.SallyportBackendType;
import org.sallyport.event.EventBus;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.identity.mtls.ClientCertificateMapper;
import org.sallyport.identity.token.JwtAuthenticator;
import org.sallyport.identity.token.OidcLoginService;
import org.sallyport.journal.Journal;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.messaging.ControlBroadcaster;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.PooledJmsSender;
import org.sallyport.modules.LibraryModuleRegistry;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeStore;
import org.sallyport.policy.CostStore;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policyengine.PolicyCache;
import org.sallyport.policyengine.PolicyRedactions;
import org.sallyport.quota.ExecutionQuotas;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaType;
import org.sallyport.quota.StoredBytesCounter;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.ApprovalLinkService;
import org.sallyport.runner.ApprovalService;
import org.sallyport.runner.CancellationService;
import org.sallyport.runner.DeadLetterHandler;
import org.sallyport.runner.EngineServices;
import org.sallyport.runner.ExecutionRunner;
import org.sallyport.runner.ExecutionSweeper;
import org.sallyport.runner.HeapMonitor;
import org.sallyport.runner.LeaseManager;
import org.sallyport.runner.OrphanRecovery;
import org.sallyport.runner.RetentionTask;
import org.sallyport.runner.RunMetricsListener;
import org.sallyport.runner.TenantExecutors;
import org.sallyport.runner.ToolEffectClassifier;
import org.sallyport.runner.ToolboxCache;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleRowsStore;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.script.ScriptStore;
import org.sallyport.secrets.SecretVariablePinner;
import org.sallyport.secrets.SecretVault;
import org.sallyport.store.jpa.Database;
import org.sallyport.store.jpa.JpaApiKeyStore;
import org.sallyport.store.jpa.JpaApprovalLinkStore;
import org.sallyport.store.jpa.JpaApprovalStore;
import org.sallyport.store.jpa.JpaArtifactStore;
import org.sallyport.store.jpa.JpaAuditStore;
import org.sallyport.store.jpa.JpaBackendStore;
import org.sallyport.store.jpa.JpaBatchStore;
import org.sallyport.store.jpa.JpaBlockedSubjectStore;
import org.sallyport.store.jpa.JpaCallbackStore;
import org.sallyport.store.jpa.JpaCapabilityStore;
import org.sallyport.store.jpa.JpaConsoleSessionStore;
import org.sallyport.store.jpa.JpaCostStore;
import org.sallyport.store.jpa.JpaDeadLetterStore;
import org.sallyport.store.jpa.JpaDemoStore;
import org.sallyport.store.jpa.JpaEventStore;
import org.sallyport.store.jpa.JpaExecutionCounts;
import org.sallyport.store.jpa.JpaExecutionPurger;
import org.sallyport.store.jpa.JpaExecutionStore;
import org.sallyport.store.jpa.JpaInboundWebhookStore;
import org.sallyport.store.jpa.JpaJournal;
import org.sallyport.store.jpa.JpaKeyUseStore;
import org.sallyport.store.jpa.JpaNestedExecutionStore;
import org.sallyport.store.jpa.JpaNodeStore;
import org.sallyport.store.jpa.JpaPolicyStore;
import org.sallyport.store.jpa.JpaQuotaStore;
import org.sallyport.store.jpa.JpaResultCache;
import org.sallyport.store.jpa.JpaScheduleBatchStore;
import org.sallyport.store.jpa.JpaScheduleRowsStore;
import org.sallyport.store.jpa.JpaScheduleStore;
import org.sallyport.store.jpa.JpaScriptStore;
import org.sallyport.store.jpa.JpaSecretStore;
import org.sallyport.store.jpa.JpaTenantStore;
import org.sallyport.store.jpa.JpaToolGraphStore;
import org.sallyport.store.jpa.JpaUsedToolStore;
import org.sallyport.store.jpa.JpaVariableStore;
import org.sallyport.submission.BatchScheduler;
import org.sallyport.submission.BatchService;
import org.sallyport.submission.CapabilityPreparer;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.ConcurrencyKeyScheduler;
import org.sallyport.submission.ExecutionFactory;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.submission.NestedExecutionFactory;
import org.sallyport.submission.NestedExecutionService;
import org.sallyport.submission.RerunService;
import org.sallyport.submission.ResultCacheService;
import org.sallyport.submission.SavedScriptRunService;
import org.sallyport.submission.ScheduleDelayRecorder;
import org.sallyport.submission.ScheduleDispatcher;
import org.sallyport.submission.ScheduleOwnerFinder;
import org.sallyport.submission.ScheduleService;
import org.sallyport.submission.ScheduledBatchRunner;
import org.sallyport.submission.ScheduledBatchService;
import org.sallyport.submission.SubmissionService;
import org.sallyport.submission.TierSelector;
import org.sallyport.tool.CallId;
import org.sallyport.tool.HopCount;
import org.sallyport.toolgraph.ToolGraphIngester;
import org.sallyport.toolgraph.ToolGraphService;
import org.sallyport.toolgraph.ToolGraphStore;
import org.sallyport.variable.VariablePinner;
import org.sallyport.variable.VariableStore;

/** Creates all services in the order of their dependencies. */
final class ServerAssembly {
    /** For jobs and replies, while a queue that takes no messages keeps the producers of calls waiting. */
    private static final int ADDITIONAL_PRODUCERS = 16;

    private static final int DISPATCH_THREADS = 2;
    private static final Duration POLICY_CACHE_TTL = Duration.ofSeconds(2);
    private static final Duration TOOL_GRAPH_POLL_INTERVAL = Duration.ofSeconds(2);
    private static final Duration AUDIT_PURGE_INTERVAL = Duration.ofHours(1);
    private static final Duration KEY_USE_WRITE_INTERVAL = Duration.ofMinutes(1);
    private static final Duration USED_TOOL_WRITE_INTERVAL = Duration.ofSeconds(5);
    private static final Duration KEY_CACHE_TTL = CachingApiKeyStore.TTL;
    /** Consumers of queues check for shutdown every second. */
    private static final Duration STOP_CONSUMING_TIMEOUT = Duration.ofSeconds(2);

    private final ConnectionFactory connections;
    private final List<BackendBean> beans;
    private final ShutdownSequence shutdown;

    /**
     * @param beans the application's backends of all profiles
     * @param shutdown receives all services that must be closed
     */
    ServerAssembly(ConnectionFactory connections, List<BackendBean> beans, ShutdownSequence shutdown) {
        this.connections = connections;
        this.beans = List.copyOf(beans);
        this.shutdown = shutdown;
    }

    /** Returns how often the call of an execution was forwarded before it reached this installation. */
    private static int hops(ExecutionStore store, String tenant, CallId call) {
        return ExecutionId.parse(call.execution())
                .flatMap(id -> store.findSubmission(tenant, id))
                .map(execution -> HopCount.of(execution.summary().labels()))
                .orElse(0);
    }

    /** Creates all services. After a failure {@code shutdown} closes those that were created before. */
    Services assemble() throws IOException {
        InstantSource clock = InstantSource.system();
        SecureRandom random = new SecureRandom();
        Configuration configuration = readConfiguration();
        ListenAddressCheck.check(configuration, clock);
        TelemetryModule telemetry = new TelemetryModule(configuration);
        JwtAuthenticator.check(configuration);
        ClientCertificateMapper.validate(configuration);
        OidcLoginService.check(configuration);
        Path data = configuration.get(Settings.DATA).toAbsolutePath().normalize();
        Files.createDirectories(data);
        shutdown.register("data directory", DataDirectoryLock.acquire(data));
        // First, because workers start while the database is opened. Registered again below, so that it is closed
        // before the services that its sessions need.
        Sandbox sandbox = shutdown.register("sandbox", SandboxFactory.open(configuration, data));

        ServerExecutors threads =
                shutdown.register("threads", new ServerExecutors(configuration.getInt(Settings.DB_POOL_SIZE)));
        Database database = shutdown.register("database", DatabaseFactory.open(configuration, data, clock));
        JpaExecutionStore store = new JpaExecutionStore(
                database,
                configuration.get(Settings.RUNNER_RESEND_AFTER),
                configuration.getInt(LimitSettings.MAX_PER_CONCURRENCY_KEY));
        ExecutionIdGenerator ids = new ExecutionIdGenerator(clock, random);
        ToolCatalog catalog = new ToolCatalog();
        Journal journal = new JpaJournal(
                database,
                configuration.getInt(LimitSettings.MAX_SAVED_SCRIPTS),
                ids,
                random,
                new ToolEffectClassifier(catalog)::outlivesExecution,
                configuration.get(Settings.RUNNER_RESEND_AFTER));
        CachingApiKeyStore apiKeys = new CachingApiKeyStore(new JpaApiKeyStore(database), clock, KEY_CACHE_TTL);
        ApiKeyService keys = new ApiKeyService(apiKeys, clock, random);
        KeyUseTracker keyUses = new KeyUseTracker(new JpaKeyUseStore(database), clock);
        shutdown.register("uses of keys", keyUses::flush);
        threads.scheduleRepeated(keyUses::flush, KEY_USE_WRITE_INTERVAL);
        UsedToolStore usedTools = new JpaUsedToolStore(database);
        CapabilityToolTracker toolTracker = new CapabilityToolTracker(usedTools, clock);
        shutdown.register("tools used by capabilities", toolTracker::flush);
        threads.scheduleRepeated(toolTracker::flush, USED_TOOL_WRITE_INTERVAL);
        BlockedSubjectCache blocked = new BlockedSubjectCache(
                new JpaBlockedSubjectStore(database), () -> ids.next().value(), clock, KEY_CACHE_TTL);
        ClientCertificateMapper certificates = ClientCertificateMapper.create(configuration, blocked, clock);
        JwtAuthenticator tokens = JwtAuthenticator.open(configuration, blocked, clock, threads.connectors());
        OidcLoginService logins = OidcLoginService.open(configuration, tokens, clock, random, threads.connectors());
        CallerRevalidator callerRevalidator = new CallerRevalidator(keys, blocked, clock);
        BootstrapAdminKey.ensureExists(data, keys, configuration.get(Settings.OPERATOR_TENANT));

        String incarnation = NodeLifecycle.incarnation();
        NodeIdentity node = NodeLifecycle.identity(configuration, data, incarnation);
        PooledJmsSender sender = shutdown.registerLast(
                "message producers",
                new PooledJmsSender(
                        connections,
                        threads.maxConcurrentSends() + ADDITIONAL_PRODUCERS,
                        threads.scheduler(),
                        Executors.newCachedThreadPool(ServerExecutors.threadFactory("sallyport-close"))));
        List<Connector> connectors = connectors(configuration, database, clock, threads);
        connectors.forEach(connector -> catalog.put(
                new CatalogBackend(connector.backendName(), "java", JmsDestinations.JAVA_TOOLS), connector.tools()));
        MemoryBudgets memoryBudgets =
                new MemoryBudgets(Runtime.getRuntime().maxMemory(), configuration.getInt(Settings.MEMORY_PERCENT));
        ConnectorDispatcher host = new ConnectorDispatcher(
                connectors,
                sender,
                clock,
                configuration.get(LimitSettings.MAX_CALL_RESULT_CHARS),
                node.id(),
                memoryBudgets.calls());
        SecretVault vault = SecretVaultFactory.open(configuration, data, new JpaSecretStore(database), clock, random);
        SecretResolverFactory secrets = new SecretResolverFactory(vault);
        VariableStore variableStore = new JpaVariableStore(database);
        VariablePinner variables = new SecretVariablePinner(
                variableStore, vault, configuration.getInt(SecretSettings.MAX_VARIABLES_CHARS));
        BackendModule configured = new BackendModule(
                threads,
                clock,
                random,
                secrets,
                run -> List.of(
                        annotatedBackends(configuration, connectors),
                        new ExternalBackendType(
                                new ExternalBackendType.ConnectorMessaging(
                                        connections,
                                        sender,
                                        incarnation,
                                        ServerExecutors.threadFactory("sallyport-connector")),
                                configuration.get(Settings.BROKER_URL).isEmpty()
                                        ? new EmbeddedBrokerAccounts()
                                        : ConnectorAccounts.MANAGED_ELSEWHERE,
                                secrets,
                                run,
                                new TimeSource(clock, System::nanoTime),
                                random),
                        // One thread for each open call; backends bound the number of calls.
                        new SallyportBackendType(
                                Executors.newCachedThreadPool(ServerExecutors.threadFactory("sallyport-there")),
                                secrets,
                                (tenant, call) -> hops(store, tenant, call),
                                clock)));
        BackendRegistry backends = shutdown.register(
                "backends",
                configured.open(
                        new JpaBackendStore(database),
                        catalog,
                        host,
                        new JmsBackendConsumers(connections, host, ServerExecutors.threadFactory("sallyport-calls"))));
        configured.start(backends, configuration, data);
        Duration grace = configuration.get(Settings.SHUTDOWN_GRACE);
        String replies = JmsDestinations.REPLY_PREFIX + incarnation;
        shutdown.register("calls of other nodes", () -> {
            backends.stopConsuming(STOP_CONSUMING_TIMEOUT);
            host.drain(replies, grace);
        });
        JmsToolBridge bridge = new JmsToolBridge(
                catalog,
                sender,
                replies,
                new JmsToolBridge.BridgeExecutors(threads.scheduler(), threads.callerSends(), threads.sends()),
                clock,
                vault::redactorFor,
                random);

        PolicyStore policyStore = new JpaPolicyStore(database);
        PolicyCache policies = new PolicyCache(policyStore, System::nanoTime, POLICY_CACHE_TTL);
        RedactionProvider hidden = new PolicyRedactions(vault::redactorFor, policies);
        // Closed after the runner, so that spans of its last executions are exported too.
        Consumer<ExecutionId> spans =
                telemetry.startExport(database, journal, hidden::redactorFor, node.id(), threads, shutdown);
        shutdown.register("sandbox", sandbox);
        CompletionNotifier completions = new CompletionNotifier();
        ArtifactStore artifacts = new JpaArtifactStore(database);
        Map<String, Integer> weights = configuration.get(Settings.QUEUE_WEIGHTS);
        JobDispatcher dispatch = new JobDispatcher(
                sender,
                ServerExecutors.threadFactory("sallyport-dispatch"),
                DISPATCH_THREADS,
                configuration.getInt(Settings.QUEUE_MAX_IN_BROKER),
                tenant -> weights.getOrDefault(tenant, 1));
        ControlBroadcaster broadcaster = new ControlBroadcaster(sender, threads.sends());
        EventBus events = events(database, broadcaster, dispatch, threads);
        ToolboxCache toolboxes = new ToolboxCache(catalog, libraryModules(configuration));
        ApprovalStore approvals =
                new JpaApprovalStore(database, () -> ids.next().value());
        QuotaStore quotaStore = new JpaQuotaStore(database);
        StoredBytesCounter storedBytes = new StoredBytesCounter(quotaStore, System::nanoTime);
        QuotaLimits quotas = new QuotaLimits(
                quotaStore,
                Map.of(
                        QuotaType.QUEUED,
                        configuration.get(LimitSettings.MAX_QUEUED),
                        QuotaType.LIVE,
                        configuration.get(QuotaSettings.MAX_LIVE_EXECUTIONS),
                        QuotaType.TOOL_CALLS,
                        configuration.get(QuotaSettings.MAX_TOOL_CALLS_PER_DAY),
                        QuotaType.STORED_BYTES,
                        configuration.get(QuotaSettings.MAX_STORED_BYTES)),
                System::nanoTime,
                POLICY_CACHE_TTL);
        CostStore spending = new JpaCostStore(database);
        CapabilityStore capabilities = new JpaCapabilityStore(database);
        JsonSchemaValidator schemas = new CachingSchemaValidator();
        CapabilityResolver published = new CapabilityResolver(capabilities);
        BackendStore backendStore = new JpaBackendStore(database);
        RequiredToolCheck requiredTools = new RequiredToolFinder(catalog, backendStore, capabilities);
        CapabilitySandboxPolicy capabilitySandboxes = SandboxFactory.capabilityPolicy(configuration);
        CapabilityPreparer preparer = new CapabilityPreparer(capabilitySandboxes, requiredTools, variables);
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog,
                policies,
                new CapabilityToolProvider(published)::find,
                new ApiKeySubmitterGrants(apiKeys, clock, KEY_CACHE_TTL));
        CompletionWaiter waiting = new CompletionWaiter(store, completions, threads.scheduler(), threads.requests());
        TierSelector tiers = SandboxFactory.tierSelector(toolboxes);
        NestedExecutionStore nestedStore = new JpaNestedExecutionStore(database, store);
        CompletableFuture<CancellationService> cancellers = new CompletableFuture<>();
        NestedExecutionService nested = new NestedExecutionService(
                nestedStore,
                store,
                new NestedExecutionFactory(configuration, published, schemas, nestedStore, store, ids, tiers, preparer),
                dispatch,
                waiting,
                (tenant, id) -> cancellers.thenAccept(canceller -> canceller.cancel(
                        tenant, id, CancelRequest.ofService("the execution that called it no longer waits for it"))));
        SharedReadToolBridge shared = new SharedReadToolBridge(
                new RoutingToolBridge(bridge, nested),
                threads.runs(),
                clock,
                vault::redactorFor,
                configuration.get(BatchSettings.MAX_SHARED_READS_BYTES),
                configuration.get(BatchSettings.MAX_SHARED_READS_AGE));
        EngineServices context = new EngineServices(
                sandbox,
                catalog,
                gate,
                shared,
                shared,
                journal,
                approvals,
                spending,
                ExecutionQuotas.of(quotaStore, storedBytes, quotas),
                artifacts,
                nestedStore::toolsCalledInTree,
                events,
                toolboxes,
                new RunMetricsListener(),
                threads.runs(),
                new TenantExecutors(threads.runs()),
                hidden,
                variables,
                threads.scheduler(),
                clock,
                nodeLimits(configuration),
                toolTracker,
                capabilitySandboxes,
                memoryBudgets);
        ExecutionRunner runner = new ExecutionRunner(
                store,
                context,
                completions,
                configuration.getInt(Settings.RUNNER_MAX_LIVE_EXECUTIONS),
                configuration.getInt(Settings.CRASH_LOOP_STARTS),
                new HeapMonitor(configuration.getInt(Settings.RUNNER_MAX_HEAP_PERCENT)),
                LogTraceCorrelation.listener(configuration));
        runner.setConcurrencyKeyListener(
                new ConcurrencyKeyScheduler(store, dispatch, threads.runs())::onExecutionEnded);
        NodeLifecycle nodeLife = new NodeLifecycle(configuration, threads);
        NodeStore nodes = new JpaNodeStore(database);
        LeaseManager lease =
                new LeaseManager(nodes, node, configuration.get(Settings.NODE_LEASE), System::nanoTime, runner);
        bridge.setLease(lease);
        shutdown.register("lease", () -> nodeLife.releaseLease(lease));
        shutdown.register("runner", () -> runner.close(grace.toMillis()));
        shutdown.register("job dispatch", dispatch);
        ExecutionSweeper sweeper = new ExecutionSweeper(
                store,
                new OrphanRecovery(store, journal, completions, configuration.getInt(Settings.MAX_ATTEMPTS)),
                dispatch,
                runner,
                approvals,
                events,
                retention(configuration, database, events),
                configuration.get(Settings.RUNNER_RESEND_AFTER));
        BatchStore batchStore = new JpaBatchStore(database, configuration.get(Settings.RUNNER_RESEND_AFTER));
        BatchScheduler flow = new BatchScheduler(batchStore, dispatch, threads.runs());
        CallbackStore callbackStore = new JpaCallbackStore(database);
        CallbackModule callbackRooms =
                new CallbackModule(configuration, data, callbackStore, random, threads, shutdown);
        CallbackDispatcher callbacks = callbackRooms.startDispatcher(store, random, threads, shutdown);
        completions.addListener(id -> {
            flow.onExecutionEnded(id);
            callbacks.onExecutionEnded(id);
            spans.accept(id);
        });
        ExecutionCounts census = new JpaExecutionCounts(database);
        ScriptStore scripts = new JpaScriptStore(database);
        SubmissionService reception = new SubmissionService(
                configuration,
                ids,
                sandbox,
                tiers,
                store,
                census,
                quotas,
                dispatch,
                threads.requests(),
                callbackRooms.urlPolicy()::validationError,
                telemetry.sampler(),
                scripts,
                new ResultCacheService(
                        new JpaResultCache(database, store),
                        journal,
                        new CallFingerprints(
                                catalog, gate, policyStore, fingerprint(libraryModules(configuration)), clock)),
                completions::notifyEnded,
                clock);
        SavedScriptRunService scriptRuns = new SavedScriptRunService(scripts, reception, clock);
        CapabilityRunService capabilityRuns = new CapabilityRunService(capabilities, schemas, reception, preparer);
        BatchService batches = new BatchService(
                configuration,
                reception,
                scriptRuns,
                capabilityRuns,
                new CatalogReadOnlyGrantChecker(catalog),
                new RerunService(configuration, store, reception),
                ids,
                store,
                batchStore,
                flow);
        threads.scheduleRepeated(flow::poll, configuration.get(Settings.RUNNER_SWEEP_INTERVAL));
        threads.scheduleRepeated(
                () -> shared.evictStale(batchStore::hasUnfinished), configuration.get(Settings.RUNNER_SWEEP_INTERVAL));
        CancellationService canceller = new CancellationService(store, runner, completions, catalog, broadcaster);
        cancellers.complete(canceller);
        threads.scheduleRepeated(canceller::endPastDeadline, configuration.get(Settings.RUNNER_SWEEP_INTERVAL));
        threads.scheduleRepeated(nested::cancelAbandoned, configuration.get(Settings.RUNNER_SWEEP_INTERVAL));
        ExecutionFactory maker = new ExecutionFactory(reception, capabilityRuns);
        ScheduleStore scheduleStore = new JpaScheduleStore(database, configuration.get(Settings.RUNNER_RESEND_AFTER));
        ScheduleRowsStore scheduleRowsStore = new JpaScheduleRowsStore(database);
        ScheduleBatchStore scheduleBatchStore =
                new JpaScheduleBatchStore(database, configuration.get(Settings.RUNNER_RESEND_AFTER));
        ScheduledBatchService scheduledBatches =
                new ScheduledBatchService(scheduleRowsStore, scheduleBatchStore, batches, capabilityRuns);
        BiConsumer<String, FireResult.FireDeferred> cancelPrevious = cancelPrevious(batchStore, canceller);
        ScheduleDelayRecorder delays = new ScheduleDelayRecorder(
                scheduleStore, random, clock, configuration.get(Settings.RUNNER_SWEEP_INTERVAL));
        ScheduleOwnerFinder owners = new ScheduleOwnerFinder(keys, delays);
        ScheduledBatchRunner batchRunner = new ScheduledBatchRunner(
                scheduleBatchStore,
                scheduledBatches,
                owners,
                delays,
                configuration.getInt(ScheduleSettings.MAX_MISFIRES),
                cancelPrevious,
                shutdown.register(
                        "batches of schedules",
                        new DrainedThreads("sallyport-batches", ScheduledBatchRunner.MAX_CONCURRENT)));
        threads.scheduleRepeated(batchRunner::renewClaims, ScheduledBatchRunner.RENEWAL_INTERVAL);
        ScheduleDispatcher timetable = new ScheduleDispatcher(
                configuration, scheduleStore, owners, maker, dispatch, cancelPrevious, batchRunner, delays);
        shutdown.register(
                "schedules",
                new PeriodicTask(
                        threads,
                        "sallyport-schedules",
                        timetable::fireDue,
                        configuration.get(Settings.RUNNER_SWEEP_INTERVAL)));
        shutdown.register("sweeper", nodeLife::stopSweeping);
        nodeLife.start(lease, sweeper);
        ApprovalService desk = new ApprovalService(
                approvals,
                gate,
                dispatch,
                runner,
                vault::redactorFor,
                (tenant, id) -> capability(store, tenant, id),
                configuration.get(Settings.ALLOW_SELF_APPROVAL));
        return new Services(
                configuration,
                keys,
                keyUses,
                tokens,
                certificates,
                blocked,
                callerRevalidator,
                new ConsoleSessions(
                        new JpaConsoleSessionStore(database),
                        keys,
                        person -> callerRevalidator.isStillValid(person) && logins.vouchesFor(person),
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
                new ApprovalLinkService(
                        approvals,
                        new JpaApprovalLinkStore(database),
                        desk::needsOtherApprover,
                        keys,
                        callerRevalidator,
                        certificates::findByName,
                        () -> ids.next().value(),
                        random,
                        clock),
                policyStore,
                policies,
                spending,
                quotaStore,
                storedBytes,
                quotas,
                new JpaTenantStore(database),
                artifacts,
                events,
                waiting,
                sandbox,
                sender,
                bridge,
                new ToolReplyReceiver(bridge, memoryBudgets.replies(), threads.runs()),
                host,
                backends,
                vault,
                variableStore,
                variables,
                hidden,
                runner,
                dispatch,
                lease,
                new DeadLetterHandler(store, completions),
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
                new ScheduleService(configuration, maker, reception, ids, scheduleStore, dispatch, clock),
                audit(configuration, database, ids, threads),
                callbackStore,
                callbackRooms.signer(),
                telemetry.metrics(),
                scripts,
                scriptRuns,
                toolGraphs(configuration, database, hidden, clock, threads),
                new JpaInboundWebhookStore(database),
                scheduleRowsStore,
                scheduleBatchStore,
                scheduledBatches,
                usedTools,
                requiredTools,
                backendStore,
                capabilityRuns,
                capabilitySandboxes,
                BackupModule.open(configuration, data, database, clock, threads, shutdown),
                memoryBudgets);
    }

    private static BiConsumer<String, FireResult.FireDeferred> cancelPrevious(
            BatchStore batches, CancellationService canceller) {
        CancelRequest request = CancelRequest.ofService("the next run of its schedule is due");
        return (tenant, previous) -> {
            previous.executions().forEach(id -> canceller.cancel(tenant, id, request));
            for (BatchId batch : previous.batches()) {
                batches.stopForNextRun(tenant, batch, request).forEach(id -> canceller.cancel(tenant, id, request));
            }
        };
    }

    private static Optional<String> capability(ExecutionStore store, String tenant, ExecutionId id) {
        return store.find(tenant, id)
                .flatMap(execution -> execution.summary().capability())
                .map(CapabilityRef::toString);
    }

    private ToolGraphService toolGraphs(
            Configuration configuration,
            Database database,
            RedactionProvider hidden,
            InstantSource clock,
            ServerExecutors threads) {
        ToolGraphStore store = new JpaToolGraphStore(database);
        int weeks = configuration.getInt(ToolGraphSettings.RETENTION_WEEKS);
        if (weeks > 0) {
            ToolGraphIngester learner = new ToolGraphIngester(
                    store,
                    (tenant, intent) -> hidden.redactorFor(tenant).redact(intent),
                    configuration.get(ToolGraphSettings.INGEST_DELAY),
                    weeks,
                    clock);
            shutdown.register(
                    "tool graph",
                    new PeriodicTask(threads, "sallyport-tool-graph", learner::poll, TOOL_GRAPH_POLL_INTERVAL));
        }
        return new ToolGraphService(store, weeks, clock);
    }

    private static AuditLog audit(
            Configuration configuration, Database database, ExecutionIdGenerator ids, ServerExecutors threads) {
        AuditLog audit =
                new AuditLog(new JpaAuditStore(database), () -> ids.next().value(), System::nanoTime);
        Duration kept = Duration.ofDays(configuration.get(Settings.AUDIT_RETENTION_DAYS));
        if (!kept.isZero()) {
            threads.scheduleRepeated(() -> audit.purge(kept), AUDIT_PURGE_INTERVAL);
        }
        return audit;
    }

    private static RetentionTask retention(Configuration configuration, Database database, EventBus events) {
        return new RetentionTask(
                new JpaExecutionPurger(database),
                Duration.ofDays(configuration.get(Settings.FINISHED_RETENTION_DAYS)),
                events,
                configuration.get(Settings.EVENT_RETENTION),
                System::nanoTime);
    }

    private static EventBus events(
            Database database, ControlBroadcaster broadcaster, JobDispatcher dispatch, ServerExecutors threads) {
        return new EventBus(
                new JpaEventStore(database),
                (tenant, name) -> broadcaster.broadcast(new ControlMessage.EventStored(tenant, name)),
                dispatch::enqueue,
                threads.scheduler(),
                threads.requests());
    }

    private static List<LibraryModule> libraryModules(Configuration configuration) {
        String registry = configuration.get(Settings.MODULE_REGISTRY_FILE);
        return registry.isEmpty() ? List.of() : LibraryModuleRegistry.read(Path.of(registry));
    }

    private static String fingerprint(List<LibraryModule> modules) {
        return modules.stream()
                .map(module -> module.name() + "@" + module.version() + "#" + module.sha256())
                .sorted()
                .collect(Collectors.joining(","));
    }

    private BeanBackendType annotatedBackends(Configuration configuration, List<Connector> others) {
        List<String> profiles = configuration.get(Settings.PROFILES);
        // One thread for each open call; backends bound the number of calls.
        ExecutorService calls = Executors.newCachedThreadPool(ServerExecutors.threadFactory("sallyport-java"));
        // Registered before the backends and so closed after them: closing the backends still needs it.
        shutdown.register("calls of beans", calls::shutdown);
        return new BeanBackendType(
                beans.stream()
                        .filter(bean -> bean.backend().profile().isEmpty()
                                || profiles.contains(bean.backend().profile()))
                        .toList(),
                others.stream().map(Connector::backendName).collect(Collectors.toSet()),
                calls);
    }

    private static List<Connector> connectors(
            Configuration configuration, Database database, InstantSource clock, ServerExecutors threads) {
        return configuration.get(Settings.PROFILES).contains("demo")
                ? List.of(
                        new DemoConnector(new JpaDemoStore(database), clock, threads.scheduler(), threads.connectors()))
                : List.of();
    }

    private static EngineServices.NodeLimits nodeLimits(Configuration configuration) {
        return new EngineServices.NodeLimits(
                configuration.get(Settings.RUNNER_FLUSH_INTERVAL),
                configuration.get(Settings.RUNNER_PARK_AFTER),
                configuration.get(LimitSettings.MAX_PARKED),
                configuration.get(LimitSettings.CALL_TIMEOUT),
                configuration.getInt(LimitSettings.DEFAULT_CONCURRENT_CALLS),
                configuration.getInt(LimitSettings.DEFAULT_RESULT_CHARS),
                configuration.getInt(LimitSettings.DEFAULT_CALL_ARGUMENT_CHARS),
                configuration.getInt(LimitSettings.DEFAULT_TIMERS),
                configuration.getInt(LimitSettings.DEFAULT_ARTIFACTS),
                configuration.getInt(LimitSettings.DEFAULT_ARTIFACT_BYTES),
                configuration.getInt(LimitSettings.DEFAULT_EVENTS),
                configuration.getInt(LimitSettings.DEFAULT_JOURNAL_BYTES));
    }

    /** Returns the settings of this process; throws {@link InvalidConfigurationException} if one is invalid. */
    static Configuration readConfiguration() {
        return Configuration.read(properties(), System.getenv());
    }

    private static Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        System.getProperties().forEach((name, value) -> properties.put(String.valueOf(name), String.valueOf(value)));
        return properties;
    }
}
