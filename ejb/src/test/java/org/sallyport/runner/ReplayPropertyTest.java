package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.event.EventBus;
import org.sallyport.event.InMemoryEventStore;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;
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

/**
 * The property of replay, with the real sandbox: an execution whose node dies after any of its writes, and that another
 * node resumes, ends like an undisturbed execution. Replies depend on the call alone and arrive in any order; no effect
 * happens twice.
 */
class ReplayPropertyTest {
    private static final int SCRIPTS = Integer.getInteger("sallyport.test.laws", 8);
    /** Never closed: an engine that is closed while one of its sessions is still ending may fail. */
    private static final InProcessSandbox SANDBOX = new InProcessSandbox(2);

    private static final ExecutionLimits LIMITS = new ExecutionLimits(60_000, 20_000, 64 << 20, 1_000, 100_000);

    @SuppressWarnings("NullAway.Init")
    private static ExecutorService executor;

    @SuppressWarnings("NullAway.Init")
    private static ScheduledExecutorService scheduler;

    @BeforeAll
    static void open() {
        executor = Executors.newFixedThreadPool(4);
        scheduler = Executors.newScheduledThreadPool(2);
    }

    @AfterAll
    static void close() {
        executor.shutdownNow();
        scheduler.shutdownNow();
    }

    /** Simulates tools. Records every effect with the ordinal of its call, once for each time it happened. */
    private static final class EffectRecordingBridge implements ToolBridge {
        private final Random random;
        private final List<String> effects = new ArrayList<>();
        private final Set<String> seen = new HashSet<>();
        private final Map<String, CompletableFuture<ToolReply>> open = new ConcurrentHashMap<>();

        EffectRecordingBridge(long seed) {
            random = new Random(seed);
        }

        @Override
        public CompletionStage<ToolReply> send(ToolCall call) {
            CompletableFuture<ToolReply> reply = new CompletableFuture<>();
            int wait;
            synchronized (this) {
                String tool = call.tool().tool();
                if (!tool.equals("read")
                        && (tool.equals("effect") || seen.add(call.id().toString()))) {
                    effects.add(call.id().ordinal() + " " + tool + " "
                            + call.arguments().text());
                }
                wait = random.nextInt(3);
            }
            scheduler.schedule(() -> reply.complete(ToolReply.local(result(call))), wait, TimeUnit.MILLISECONDS);
            return reply;
        }

        private static ToolResult result(ToolCall call) {
            return call.arguments().text().hashCode() % 5 == 0
                    ? ToolResult.failure(ToolErrorCode.TOOL_FAILED, "no luck")
                    : ToolResult.success(
                            new Json("{\"echo\":" + call.arguments().text() + "}"));
        }

        @Override
        public void cancel(CallId id) {
            open.remove(id.toString());
        }

        synchronized List<String> effects() {
            return List.copyOf(effects);
        }
    }

    private static EngineServices context(InMemoryExecutionStore store, ToolBridge world, ToolCatalog catalog) {
        return new EngineServices(
                SANDBOX,
                catalog,
                new ToolCallAuthorizer(catalog, tenant -> Policy.defaultPolicy()),
                world,
                store,
                new InMemoryApprovalStore(store),
                new InMemoryArtifactStore(),
                new EventBus(
                        new InMemoryEventStore(fence -> true), (tenant, name) -> {}, job -> {}, scheduler, executor),
                new ToolboxCache(catalog, List.of()),
                new RunMetricsListener(),
                executor,
                scheduler,
                InstantSource.system(),
                new EngineServices.NodeLimits(
                        Duration.ofMillis(1),
                        Duration.ofSeconds(30),
                        Duration.ofDays(30),
                        Duration.ofSeconds(20),
                        50,
                        100_000,
                        100_000,
                        100,
                        3,
                        1_000,
                        3,
                        10_000_000));
    }

    private static ToolCatalog catalog() {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("b", "java", "q"),
                List.of(
                        new ToolSpec(new ToolName("b", "read"), "", new Json("{}"), ToolHints.READ_ONLY),
                        new ToolSpec(new ToolName("b", "again"), "", new Json("{}"), ToolHints.IDEMPOTENT),
                        new ToolSpec(new ToolName("b", "effect"), "", new Json("{}"), ToolHints.EFFECT)));
        return catalog;
    }

    private static ExecutionId accepted(InMemoryExecutionStore store, ExecutionId id, String code) {
        store.insert(new NewExecution(
                id,
                "t",
                "k",
                code,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                Json.EMPTY_OBJECT,
                Json.EMPTY_OBJECT,
                LIMITS,
                List.of("b.*"),
                Map.of(),
                4,
                DebugMode.NONE,
                Durability.JOURNAL,
                Optional.empty(),
                Optional.empty()));
        return id;
    }

    /**
     * Runs a script on successive nodes. Each node dies after its number of writes in {@code deaths}; the last node
     * survives.
     */
    private static InMemoryExecutionStore runThroughCrashes(
            ExecutionId id, String code, EffectRecordingBridge world, List<Integer> deaths) throws Exception {
        InMemoryExecutionStore store = new InMemoryExecutionStore();
        accepted(store, id, code);
        EngineServices context = context(store, world, catalog());
        for (int life = 0; life <= deaths.size(); life++) {
            if (life < deaths.size()) {
                store.crashAfter(deaths.get(life));
            } else {
                store.stopCrashing();
            }
            ExecutionRunner runner = new ExecutionRunner(store, context, new CompletionNotifier(), 8, () -> false);
            runner.startAccepting("n." + life);
            runner.run(id);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (runner.liveCount() > 0) {
                assertThat(System.nanoTime()).as(code).isLessThan(end);
                TimeUnit.MICROSECONDS.sleep(200);
            }
            if (store.row(id).state.isTerminal()) {
                return store;
            }
            store.recover(id);
        }
        throw new IllegalStateException("never ended");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void resumedRunEndsLikeAnUndisturbedRun(long seed) throws Exception {
        RandomToolScripts scripts = new RandomToolScripts(seed);
        Random random = new Random(seed);
        ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.fixed(Instant.EPOCH), new Random(seed));
        int compared = 0;
        for (int i = 0; i < SCRIPTS; i++) {
            String code = scripts.script();
            ExecutionId id = ids.next();
            EffectRecordingBridge calm = new EffectRecordingBridge(seed + i);
            InMemoryExecutionStore undisturbed = runThroughCrashes(id, code, calm, List.of());
            List<Integer> deaths = new ArrayList<>();
            for (int death = random.nextInt(4); death >= 0; death--) {
                deaths.add(random.nextInt(5));
            }
            compared += compareRuns(undisturbed, calm, deaths, new EffectRecordingBridge(seed * 31 + i)) ? 1 : 0;
        }
        assertThat(compared).isGreaterThan(SCRIPTS / 4);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7, 8})
    void runResumesAfterACrashAtAnyWrite(long seed) throws Exception {
        RandomToolScripts scripts = new RandomToolScripts(seed);
        ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.fixed(Instant.EPOCH), new Random(seed));
        int runs = 0;
        int compared = 0;
        for (int i = 0; i < SCRIPTS / 4; i++) {
            EffectRecordingBridge calm = new EffectRecordingBridge(seed + i);
            InMemoryExecutionStore undisturbed = runThroughCrashes(ids.next(), scripts.script(), calm, List.of());
            // The first node dies before the first write, after each write, or after the last one; in that case the
            // execution has completed.
            for (int writes = 0; writes <= undisturbed.onlyExecution().writes; writes++) {
                runs++;
                EffectRecordingBridge rough = new EffectRecordingBridge(seed * 31 + i * 1_000L + writes);
                compared += compareRuns(undisturbed, calm, List.of(writes), rough) ? 1 : 0;
            }
        }
        assertThat(compared).isGreaterThan(runs / 4);
    }

    /**
     * Repeats an undisturbed run with a node death after each number of writes in {@code deaths}. Asserts that both
     * runs are equal and returns true, or returns false if they cannot be compared.
     */
    private static boolean compareRuns(
            InMemoryExecutionStore undisturbed,
            EffectRecordingBridge calm,
            List<Integer> deaths,
            EffectRecordingBridge rough)
            throws Exception {
        InMemoryExecutionStore.StoredExecution was = undisturbed.onlyExecution();
        InMemoryExecutionStore.StoredExecution is = runThroughCrashes(
                        was.execution.id(), was.execution.code(), rough, deaths)
                .onlyExecution();
        String description = was.execution.code() + "\ndeaths " + deaths + "\n" + is.trace;
        assertThat(is.outcome).as(description).isInstanceOf(ExecutionOutcome.ExecutionCompleted.class);
        assertThat(rough.effects().stream()
                        .filter(effect -> effect.contains("effect"))
                        .map(effect -> effect.substring(0, effect.indexOf(' '))))
                .as(description)
                .doesNotHaveDuplicates();
        assertThat(ends(is).stream().map(end -> end.substring(0, end.indexOf(' '))))
                .as(description)
                .doesNotHaveDuplicates();
        // A call in progress at the death of its node is not repeated: the script receives an unknown outcome and
        // continues differently.
        boolean unknown = is.trace.stream()
                .anyMatch(event -> event instanceof TraceEvent.ToolEnded ended
                        && ended.error()
                                .filter(error -> error.code() == ToolErrorCode.OUTCOME_UNKNOWN)
                                .isPresent());
        if (unknown) {
            return false;
        }
        assertThat(is.outcome).as(description).isEqualTo(was.outcome);
        assertThat(is.out).as(description).hasToString(was.out.toString());
        assertThat(is.outputByCharacter()).as(description).isEqualTo(was.outputByCharacter());
        assertThat(rough.effects()).as(description).containsExactlyInAnyOrderElementsOf(calm.effects());
        assertThat(calls(is)).as(description).isEqualTo(calls(was));
        assertThat(ends(is)).as(description).containsExactlyInAnyOrderElementsOf(ends(was));
        return true;
    }

    private static List<String> calls(InMemoryExecutionStore.StoredExecution row) {
        return row.trace.stream()
                .filter(TraceEvent.ToolStarted.class::isInstance)
                .map(event -> ((TraceEvent.ToolStarted) event).call() + " " + ((TraceEvent.ToolStarted) event).tool()
                        + " " + ((TraceEvent.ToolStarted) event).arguments())
                .toList();
    }

    /** The replies of calls. The tools determine their order. */
    private static List<String> ends(InMemoryExecutionStore.StoredExecution row) {
        return row.trace.stream()
                .filter(TraceEvent.ToolEnded.class::isInstance)
                .map(TraceEvent.ToolEnded.class::cast)
                .map(end -> end.call() + " " + end.tool() + " " + end.result() + " " + end.error())
                .toList();
    }
}
