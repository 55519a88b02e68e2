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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.sallyport.bridge.CallGate;
import org.sallyport.bridge.SharedReads;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.Catalog;
import org.sallyport.event.EventBus;
import org.sallyport.event.MemoryEvents;
import org.sallyport.execution.Admission;
import org.sallyport.execution.Completions;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Limits;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.Reuse;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.Together;
import org.sallyport.policy.Holdings;
import org.sallyport.policy.Policies;
import org.sallyport.quota.CountedQuota;
import org.sallyport.quota.RunQuotas;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.secret.Hidden;
import org.sallyport.secret.Redaction;
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

/** Runs scripts in the real sandbox on a store in memory, with tools that the test is. */
final class ScriptRuns {
    // For all tests, and never closed: an engine that is closed while one of its sessions still ends may fail.
    private static final InProcessSandbox SANDBOX = new InProcessSandbox(2);
    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(4, ScriptRuns::daemon);
    private static final ScheduledExecutorService SCHEDULER = Executors.newScheduledThreadPool(2, ScriptRuns::daemon);
    private static final Limits LIMITS = new Limits(60_000, 20_000, 64 << 20, 1_000, 100_000);

    final MemoryStore store = new MemoryStore();
    final MemoryApprovals approvals = new MemoryApprovals(store);
    final MemoryArtifacts artifacts = new MemoryArtifacts();
    final MemorySpending spending = new MemorySpending(store);
    /** How many bytes of artifacts may be kept; 0 for no limit. */
    volatile long storedBytes;

    private final RunQuotas quotas = new RunQuotas(
            RunQuotas.unlimited().calls(),
            new CountedQuota(tenant -> artifacts.bytes(), tenant -> storedBytes, System::nanoTime));

    final World world = new World();
    final EventBus events =
            new EventBus(new MemoryEvents(fence -> true), (tenant, name) -> {}, job -> {}, SCHEDULER, EXECUTOR);
    private final ExecutionIds ids = new ExecutionIds(InstantSource.fixed(Instant.EPOCH), new Random(1));
    /** What the tenant must not see. */
    volatile Redaction secret = Redaction.NOTHING;

    final Catalog catalog = new Catalog();
    final SharedReads shared =
            new SharedReads(world, EXECUTOR, InstantSource.system(), tenant -> secret, 1 << 20, Duration.ofMinutes(1));
    final RunWatch watch = new RunWatch();
    private final Catalog published = new Catalog();

    private final RunContext context;
    private int lives;
    /** Whether executions share what they read that are accepted from now on. */
    volatile boolean share;

    /** What executions may call that are accepted from now on. */
    volatile List<String> grants = List.of("b.*");

    ScriptRuns(Policies policies) {
        this(policies, Duration.ofSeconds(30));
    }

    /** @param park how long scripts wait before they are parked */
    ScriptRuns(Policies policies, Duration park) {
        context = context(policies, park);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    /** Tools whose answers depend on the call alone and come in any order; every call that reached them is kept. */
    final class World implements ToolBridge {
        private final Random random = new Random(1);
        private final Set<String> seen = new HashSet<>();
        private final List<String> calls = new ArrayList<>();
        private final List<CallId> cancelled = new ArrayList<>();
        private final List<Runnable> held = new ArrayList<>();
        private boolean holds;
        private boolean busy;
        private final Map<String, ToolReply> away = new HashMap<>();
        private int turnedAway;
        private final Map<CallId, CompletableFuture<ToolReply>> underWay = new HashMap<>();

        /** What calls of a backend are answered from now on, which do not come to their tools. */
        synchronized void away(String backend, ToolReply reply) {
            away.put(backend, reply);
        }

        /** How many calls were answered so. */
        synchronized int turnedAway() {
            return turnedAway;
        }

        /** The calls of a backend come to their tools again. */
        synchronized void back(String backend) {
            away.remove(backend);
        }

        /** Answers come when they are {@link #let} from now on. */
        synchronized void hold() {
            holds = true;
        }

        /** What is held is forgotten, and answers come by themselves again. */
        synchronized void free() {
            holds = false;
            held.clear();
        }

        /** From now on no call reaches its tool, or each does. */
        synchronized void busy(boolean now) {
            busy = now;
        }

        /** The answer that was held first comes. */
        void let() {
            Runnable first;
            synchronized (this) {
                first = held.remove(0);
            }
            first.run();
        }

        synchronized int heldBack() {
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

        /** What reached the tools since this was last asked, as {@code ordinal tool}. */
        synchronized List<String> take() {
            List<String> all = List.copyOf(calls);
            calls.clear();
            return all;
        }
    }

    private RunContext context(Policies policies, Duration park) {
        catalog.put(new Backend("b", "java", "q", List.of("none", "c", "d")), tools("b"));
        catalog.put(new Backend("c", "java", "q"), tools("c"));
        catalog.put(new Backend("e", "sallyport", "q"), tools("e"));
        catalog.put(
                new Backend("d", "java", "q", List.of("b")),
                List.of(
                        new ToolSpec(new ToolName("d", "read"), "", new Json("{}"), ToolHints.IDEMPOTENT),
                        new ToolSpec(new ToolName("d", "again"), "", new Json("{}"), ToolHints.EFFECT),
                        new ToolSpec(new ToolName("d", "effect"), "", new Json("{}"), ToolHints.READ_ONLY)));
        return new RunContext(
                SANDBOX,
                catalog,
                new CallGate(
                        catalog,
                        policies,
                        (tenant, name) -> published.find(new ToolName(CapabilityTools.BACKEND, name)),
                        Holdings.EVERYTHING),
                shared,
                shared,
                store,
                approvals,
                spending,
                quotas,
                artifacts,
                store::calledAround,
                events,
                new Toolboxes(catalog, List.of()),
                watch,
                EXECUTOR,
                Hidden.secretsAlone(tenant -> secret),
                SCHEDULER,
                InstantSource.system(),
                new RunContext.NodeLimits(
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
                        3));
    }

    private static List<ToolSpec> tools(String backend) {
        return List.of(
                new ToolSpec(new ToolName(backend, "read"), "", new Json("{}"), ToolHints.READ_ONLY),
                new ToolSpec(new ToolName(backend, "again"), "", new Json("{}"), ToolHints.IDEMPOTENT),
                new ToolSpec(new ToolName(backend, "effect"), "", new Json("{}"), ToolHints.EFFECT),
                new ToolSpec(new ToolName(backend, "mail"), "", new Json("{}"), ToolHints.DESTRUCTIVE));
    }

    /** There is a capability of that name from now on. */
    void publish(String name) {
        Backend home = new Backend(CapabilityTools.BACKEND, "capability", "");
        ToolName tool = new ToolName(CapabilityTools.BACKEND, name);
        published.put(home, List.of(new ToolSpec(tool, "", new Json("{}"), ToolHints.IDEMPOTENT)));
    }

    /** An id of no execution yet. */
    ExecutionId id() {
        return ids.next();
    }

    /** Accepts a script. */
    ExecutionId accept(String code, Optional<Rerun> rerun) {
        return accept(code, rerun, Effects.REAL);
    }

    /** Accepts a script whose effects are not simply made. */
    ExecutionId accept(String code, Optional<Rerun> rerun, Effects effects) {
        ExecutionId id = ids.next();
        store.accept(new NewExecution(
                id,
                "t",
                "k",
                code,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                Json.EMPTY_OBJECT,
                Json.EMPTY_OBJECT,
                LIMITS,
                grants,
                Map.of(),
                4,
                DebugMode.NONE,
                Durability.JOURNAL,
                Optional.empty(),
                Optional.empty(),
                rerun,
                effects,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Reuse.NONE.sharingReads(share),
                Admission.NONE));
        return id;
    }

    /** A node that takes executions, so many at one time. */
    Runner node(int places) {
        Runner runner = new Runner(store, context, new Completions(), places, () -> false);
        runner.resume("n." + lives++);
        return runner;
    }

    /** A node of its own takes it, and holds it until it ends, is parked, or the node dies; the state it has then. */
    ExecutionState live(ExecutionId id) throws InterruptedException {
        Runner runner = node(8);
        runner.run(id);
        Together.await(Duration.ofSeconds(60), () -> {
            runner.look();
            return runner.liveCount() == 0;
        });
        return store.row(id).state;
    }

    /** Runs it until it has ended, over the deaths of nodes: each after so many writes. */
    void endure(ExecutionId id, List<Integer> deaths) throws InterruptedException {
        for (int death : deaths) {
            store.dieAfter(death);
            if (live(id).terminal()) {
                break;
            }
            store.recover(id);
        }
        store.live();
        if (!store.row(id).state.terminal()) {
            live(id);
        }
    }
}
