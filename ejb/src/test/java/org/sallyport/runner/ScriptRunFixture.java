package org.sallyport.runner;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sallyport.bridge.SharedReadToolBridge;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CapabilityToolTracker;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.event.EventBus;
import org.sallyport.event.InMemoryEventStore;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.policy.SubmitterGrants;
import org.sallyport.quota.CountedQuotaCheck;
import org.sallyport.quota.ExecutionQuotas;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.redaction.Redactor;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;
import org.sallyport.variable.VariablePinner;

/** Runs scripts in the real sandbox on an in-memory store, with tools that this fixture simulates. */
final class ScriptRunFixture {
    // Shared by all tests and never closed: an engine that is closed while one of its sessions is still ending may
    // fail.
    private static final InProcessSandbox SANDBOX = new InProcessSandbox(2);
    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(4, ScriptRunFixture::daemon);
    private static final ScheduledExecutorService SCHEDULER =
            Executors.newScheduledThreadPool(2, ScriptRunFixture::daemon);
    private static final ExecutionLimits LIMITS = new ExecutionLimits(60_000, 20_000, 64 << 20, 1_000, 100_000);

    final InMemoryExecutionStore store = new InMemoryExecutionStore();
    final InMemoryApprovalStore approvals = new InMemoryApprovalStore(store);
    final InMemoryArtifactStore artifacts = new InMemoryArtifactStore();
    final InMemoryCostStore spending = new InMemoryCostStore(store);
    /** Maximum size of all stored artifacts, in bytes; 0 for no limit. */
    volatile long storedBytes;

    private final ExecutionQuotas quotas = new ExecutionQuotas(
            ExecutionQuotas.unlimited().calls(),
            new CountedQuotaCheck(tenant -> artifacts.bytes(), tenant -> storedBytes, System::nanoTime));

    final FakeToolBridge toolBridge = new FakeToolBridge();
    final EventBus events =
            new EventBus(new InMemoryEventStore(fence -> true), (tenant, name) -> {}, job -> {}, SCHEDULER, EXECUTOR);
    private final ExecutionIdGenerator ids =
            new ExecutionIdGenerator(InstantSource.fixed(Instant.EPOCH), new Random(1));
    /** Removes the tenant's secrets from output. */
    volatile Redactor redactor = Redactor.NONE;
    /** Returns the redactor of a tenant. */
    volatile Function<String, Redactor> redactors = tenant -> redactor;
    /** Variables of executions that are accepted from now on. */
    volatile Optional<PinnedVariables> variables = Optional.empty();

    final ToolCatalog catalog = new ToolCatalog();
    final SharedReadToolBridge sharedReads = new SharedReadToolBridge(
            toolBridge, EXECUTOR, InstantSource.system(), tenant -> redactor, 1 << 20, Duration.ofMinutes(1));
    final RunMetricsListener metricsListener = new RunMetricsListener();
    final MemoryBudgets memory = new MemoryBudgets(0, 0);
    private final ToolCatalog published = new ToolCatalog();

    private final VariablePinner pinner;
    private final EngineServices context;
    private int nodeCount;
    /** Whether executions that are accepted from now on share their reads. */
    volatile boolean sharesReads;

    /** The capability of executions that are accepted from now on. */
    volatile Optional<CapabilityBinding> capability = Optional.empty();

    /** The requests of the sessions that were started. */
    final List<SessionRequest> sessionRequests = new CopyOnWriteArrayList<>();

    /** Limits of executions that are accepted from now on. */
    volatile ExecutionLimits limits = LIMITS;

    /** Grants of executions that are accepted from now on. */
    volatile List<String> grants = List.of("b.*");

    ScriptRunFixture(PolicyProvider policies) {
        this(policies, Duration.ofSeconds(30));
    }

    /** @param variables decrypts the variables of executions */
    ScriptRunFixture(PolicyProvider policies, VariablePinner variables) {
        this(policies, Duration.ofSeconds(30), variables);
    }

    /** @param park how long scripts wait before they are parked */
    ScriptRunFixture(PolicyProvider policies, Duration park) {
        this(policies, park, VariablePinner.NONE);
    }

    private ScriptRunFixture(PolicyProvider policies, Duration park, VariablePinner variables) {
        this(policies, park, variables, CapabilitySandboxPolicy.WORKERS_ONLY);
    }

    /** @param sandboxes decides which capabilities run in the process of the server */
    ScriptRunFixture(PolicyProvider policies, CapabilitySandboxPolicy sandboxes) {
        this(policies, Duration.ofSeconds(30), VariablePinner.NONE, sandboxes);
    }

    private ScriptRunFixture(
            PolicyProvider policies, Duration park, VariablePinner variables, CapabilitySandboxPolicy sandboxes) {
        pinner = variables;
        context = context(policies, park, sandboxes);
    }

    /** Records the requests of sessions. */
    private final class RequestRecordingSandbox implements Sandbox {
        @Override
        public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
            return SANDBOX.check(tenant, script);
        }

        @Override
        public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
            return SANDBOX.findReferences(tenant, script);
        }

        @Override
        public SandboxSession start(SessionRequest request, SessionListener listener) {
            sessionRequests.add(request);
            return SANDBOX.start(request, listener);
        }

        @Override
        public SandboxStatus status() {
            return SANDBOX.status();
        }

        @Override
        public void close() {}
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    /** Tools whose replies depend on the call alone and arrive in any order. Records every call that reached a tool. */
    final class FakeToolBridge implements ToolBridge {
        private final Random random = new Random(1);
        private final Set<String> seen = new HashSet<>();
        private final List<String> calls = new ArrayList<>();
        private final List<CallId> cancelled = new ArrayList<>();
        private final List<Runnable> held = new ArrayList<>();
        private boolean holds;
        private boolean busy;
        private final Map<String, ToolReply> away = new HashMap<>();
        private int turnedAway;
        private Optional<Supplier<CompletionStage<ToolReply>>> brokenSend = Optional.empty();
        private final Map<CallId, CompletableFuture<ToolReply>> underWay = new HashMap<>();

        /** From now on, calls to the backend receive {@code reply} and do not reach their tools. */
        synchronized void setUnavailable(String backend, ToolReply reply) {
            away.put(backend, reply);
        }

        /** Number of calls that {@link #setUnavailable} rejected. */
        synchronized int rejectedCount() {
            return turnedAway;
        }

        /** Calls to the backend reach their tools again. */
        synchronized void setAvailable(String backend) {
            away.remove(backend);
        }

        /** From now on, each reply is held until {@link #releaseReply}. */
        synchronized void holdReplies() {
            holds = true;
        }

        /** Discards the held replies, and holds no new ones. */
        synchronized void stopHolding() {
            holds = false;
            held.clear();
        }

        /** Sets whether calls are rejected as busy before they reach their tools. */
        synchronized void setBusy(boolean now) {
            busy = now;
        }

        /** From now on, calls do not reach their tools, but {@code send}, which fails. */
        synchronized void breakSends(Supplier<CompletionStage<ToolReply>> send) {
            brokenSend = Optional.of(send);
        }

        /** Sends the reply that was held first. */
        void releaseReply() {
            Runnable first;
            synchronized (this) {
                first = held.remove(0);
            }
            first.run();
        }

        synchronized int heldReplies() {
            return held.size();
        }

        synchronized List<CallId> cancelled() {
            return List.copyOf(cancelled);
        }

        @Override
        public CompletionStage<ToolReply> send(ToolCall call) {
            CompletableFuture<ToolReply> reply = new CompletableFuture<>();
            int wait;
            String backend = call.tool().backend();
            synchronized (this) {
                if (brokenSend.isPresent()) {
                    return brokenSend.get().get();
                }
                if (away.containsKey(backend)) {
                    turnedAway++;
                    reply.complete(away.get(backend));
                    return reply;
                }
                if (busy) {
                    reply.complete(ToolReply.local(ToolResult.failure(ToolErrorCode.BACKEND_BUSY, "too many")));
                    return reply;
                }
                if (call.tool().tool().equals("effect") || seen.add(call.id().toString())) {
                    calls.add(call.id().ordinal() + " "
                            + (backend.equals("b") ? call.tool().tool() : call.tool()));
                }
                wait = random.nextInt(3);
            }
            boolean fails =
                    call.tool().tool().equals("read") && call.arguments().text().hashCode() % 5 == 0;
            ToolResult result = fails
                    ? ToolResult.failure(ToolErrorCode.TOOL_FAILED, "no luck")
                    : ToolResult.success(
                            new Json("{\"echo\":" + call.arguments().text() + "}"));
            synchronized (this) {
                if (holds) {
                    underWay.put(call.id(), reply);
                    held.add(() -> reply.complete(ToolReply.local(result)));
                    return reply;
                }
            }
            SCHEDULER.schedule(() -> reply.complete(ToolReply.local(result)), wait, TimeUnit.MILLISECONDS);
            return reply;
        }

        /** Nested executions store the arguments of their calls. */
        @Override
        public CompletionStage<ToolReply> send(ToolCall call, Runnable argumentsStored) {
            if (call.tool().backend().equals(CapabilityToolProvider.BACKEND)) {
                argumentsStored.run();
            }
            return send(call);
        }

        @Override
        public void cancel(CallId id) {
            CompletableFuture<ToolReply> reply;
            synchronized (this) {
                cancelled.add(id);
                reply = underWay.remove(id);
            }
            if (reply != null) {
                reply.complete(ToolReply.local(ToolResult.failure(ToolErrorCode.CANCELLED, "as it was asked")));
            }
        }

        /** The calls that reached the tools since the last call of this method, as {@code ordinal tool}. */
        synchronized List<String> takeCalls() {
            List<String> all = List.copyOf(calls);
            calls.clear();
            return all;
        }
    }

    private EngineServices context(PolicyProvider policies, Duration park, CapabilitySandboxPolicy sandboxes) {
        catalog.put(new CatalogBackend("b", "java", "q", List.of("none", "c", "d")), tools("b"));
        catalog.put(new CatalogBackend("c", "java", "q"), tools("c"));
        catalog.put(new CatalogBackend("e", "sallyport", "q"), tools("e"));
        catalog.put(
                new CatalogBackend("d", "java", "q", List.of("b")),
                List.of(
                        new ToolSpec(new ToolName("d", "read"), "", new Json("{}"), ToolHints.IDEMPOTENT),
                        new ToolSpec(new ToolName("d", "again"), "", new Json("{}"), ToolHints.EFFECT),
                        new ToolSpec(new ToolName("d", "effect"), "", new Json("{}"), ToolHints.READ_ONLY)));
        return new EngineServices(
                new RequestRecordingSandbox(),
                catalog,
                new ToolCallAuthorizer(
                        catalog,
                        policies,
                        (tenant, name) -> published.find(new ToolName(CapabilityToolProvider.BACKEND, name)),
                        SubmitterGrants.ALL_TOOLS),
                sharedReads,
                sharedReads,
                store,
                approvals,
                spending,
                quotas,
                artifacts,
                store::callsInTree,
                events,
                new ToolboxCache(catalog, List.of()),
                metricsListener,
                EXECUTOR,
                new TenantExecutors(EXECUTOR),
                RedactionProvider.secretsOnly(tenant -> redactors.apply(tenant)),
                pinner,
                SCHEDULER,
                InstantSource.system(),
                new EngineServices.NodeLimits(
                        Duration.ofMillis(1),
                        park,
                        Duration.ofDays(30),
                        Duration.ofSeconds(20),
                        50,
                        100_000,
                        100_000,
                        100,
                        3,
                        1_000,
                        3,
                        10_000_000),
                new CapabilityToolTracker(UsedToolStore.NO_OP, InstantSource.system()),
                sandboxes,
                memory);
    }

    private static List<ToolSpec> tools(String backend) {
        return List.of(
                new ToolSpec(new ToolName(backend, "read"), "", new Json("{}"), ToolHints.READ_ONLY),
                new ToolSpec(new ToolName(backend, "again"), "", new Json("{}"), ToolHints.IDEMPOTENT),
                new ToolSpec(new ToolName(backend, "effect"), "", new Json("{}"), ToolHints.EFFECT),
                new ToolSpec(new ToolName(backend, "mail"), "", new Json("{}"), ToolHints.DESTRUCTIVE));
    }

    /** Publishes a capability. */
    void publishCapability(String name) {
        CatalogBackend home = new CatalogBackend(CapabilityToolProvider.BACKEND, "capability", "");
        ToolName tool = new ToolName(CapabilityToolProvider.BACKEND, name);
        published.put(home, List.of(new ToolSpec(tool, "", new Json("{}"), ToolHints.IDEMPOTENT)));
    }

    /** An unused execution id. */
    ExecutionId nextId() {
        return ids.next();
    }

    /** Submits a script whose effects are made. */
    ExecutionId submit(String code, Optional<RerunOrigin> rerun) {
        return submit(code, rerun, EffectMode.REAL);
    }

    /** Submits a script with the given effect mode. */
    ExecutionId submit(String code, Optional<RerunOrigin> rerun, EffectMode effects) {
        ExecutionId id = ids.next();
        store.insert(new NewExecution(
                id,
                "t",
                "k",
                code,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                Json.EMPTY_OBJECT,
                Json.EMPTY_OBJECT,
                limits,
                grants,
                Map.of(),
                4,
                DebugMode.NONE,
                Durability.JOURNAL,
                Optional.empty(),
                Optional.empty(),
                rerun,
                effects,
                capability,
                Optional.empty(),
                Optional.empty(),
                CacheOptions.NONE.withSharedReads(sharesReads),
                AdmissionConstraints.NONE,
                variables));
        return id;
    }

    /** The usual limits with another limit for the bytes of the journal. */
    static ExecutionLimits limitsWithJournal(int bytes) {
        return new ExecutionLimits(
                LIMITS.wallMillis(),
                LIMITS.cpuMillis(),
                LIMITS.heapBytes(),
                LIMITS.toolCalls(),
                LIMITS.outputChars(),
                LIMITS.cost(),
                Map.of(AdditionalLimit.JOURNAL_BYTES, bytes));
    }

    /** Starts a node that runs up to {@code places} executions at a time. */
    ExecutionRunner newNode(int places) {
        return newNode(places, claim -> {});
    }

    /** @param begun receives each claimed execution before it starts */
    ExecutionRunner newNode(int places, Consumer<ClaimedExecution> begun) {
        ExecutionRunner runner = new ExecutionRunner(
                store, context, new CompletionNotifier(), places, Integer.MAX_VALUE, () -> false, begun);
        runner.startAccepting("n." + nodeCount++);
        return runner;
    }

    /**
     * Runs the execution on a new node until it ends, is parked, or the node dies. Returns the state of the execution
     * then.
     */
    ExecutionState runOnNewNode(ExecutionId id) throws InterruptedException {
        ExecutionRunner runner = newNode(8);
        runner.run(id);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            runner.poll();
            return runner.liveCount() == 0;
        });
        return store.row(id).state;
    }

    /**
     * Runs the execution on a new node until it has ended. Meanwhile it may be parked on this node for a reply, which
     * {@link #runOnNewNode} takes for the end of the run.
     */
    ExecutionState runToEnd(ExecutionId id) throws InterruptedException {
        ExecutionRunner runner = newNode(8);
        runner.run(id);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            runner.poll();
            return store.row(id).state.isTerminal() && runner.liveCount() == 0;
        });
        return store.row(id).state;
    }

    /**
     * Runs the execution on successive nodes. Each node dies after its number of writes in {@code deaths}; the last
     * node survives.
     */
    void runThroughCrashes(ExecutionId id, List<Integer> deaths) throws InterruptedException {
        for (int death : deaths) {
            store.crashAfter(death);
            if (runOnNewNode(id).isTerminal()) {
                break;
            }
            store.recover(id);
        }
        store.stopCrashing();
        if (!store.row(id).state.isTerminal()) {
            runOnNewNode(id);
        }
    }
}
