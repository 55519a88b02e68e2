package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.event.EventBus;
import org.sallyport.event.InMemoryEventStore;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

class ExecutionRunnerTest {
    private static final String NODE = "n.1";
    private static final ExecutionLimits LIMITS = new ExecutionLimits(60_000, 1_000, 1 << 20, 10, 1_000);

    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
    private final InMemoryExecutionStore store = new InMemoryExecutionStore();
    private final InMemoryApprovalStore approvals = new InMemoryApprovalStore(store);
    private final FakeSandbox sandbox = new FakeSandbox();
    private final ManualReplyBridge bridge = new ManualReplyBridge();
    private final CompletionNotifier completions = new CompletionNotifier();
    private final ExecutionIdGenerator ids =
            new ExecutionIdGenerator(InstantSource.fixed(Instant.EPOCH), new Random(1));
    /** How many of the next artifacts are stored without an answer of the database. */
    private final AtomicInteger lostArtifactAnswers = new AtomicInteger();

    private final InMemoryArtifactStore artifacts = new LossyArtifactStore();
    /** Whether the store fails to execute the writes of artifacts. */
    private final AtomicBoolean failsArtifacts = new AtomicBoolean();
    /** How many of the next events are stored without an answer of the database. */
    private final AtomicInteger lostEventAnswers = new AtomicInteger();

    private final CountDownLatch eventsEmitted = new CountDownLatch(1);
    /** Replaced by tests in which the database is slow to answer. */
    private volatile CountDownLatch commitAnswer = new CountDownLatch(0);

    private final EventBus events =
            new EventBus(new LossyEventStore(), (tenant, name) -> {}, job -> {}, scheduler, executor);
    private final AtomicBoolean shortOfMemory = new AtomicBoolean();
    private final ExecutionRunner runner = new ExecutionRunner(store, context(), completions, 8, shortOfMemory::get);

    {
        runner.startAccepting(NODE);
    }

    private void awaitCommitAnswer() {
        try {
            commitAnswer.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stores events, waits for {@link #commitAnswer}, and then fails for {@link #lostEventAnswers} of them. */
    private final class LossyEventStore extends InMemoryEventStore {
        LossyEventStore() {
            super(fence -> true);
        }

        @Override
        public Optional<EmittedEvent> emit(String tenant, FencingToken fence, long call, String name, Json data) {
            Optional<EmittedEvent> emitted = super.emit(tenant, fence, call, name, data);
            eventsEmitted.countDown();
            awaitCommitAnswer();
            loseAnswer(lostEventAnswers);
            return emitted;
        }
    }

    /** Stores artifacts, and then fails for {@link #lostArtifactAnswers} of them. */
    private final class LossyArtifactStore extends InMemoryArtifactStore {
        @Override
        public synchronized boolean write(FencingToken fence, String name, ArtifactContent content) {
            if (failsArtifacts.get()) {
                throw new IllegalStateException("not to be written, as the test says");
            }
            boolean stored = super.write(fence, name, content);
            loseAnswer(lostArtifactAnswers);
            return stored;
        }
    }

    private static void loseAnswer(AtomicInteger answersToLose) {
        if (answersToLose.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw new StoreUnavailableException("away after the commit, as the test says", new IOException());
        }
    }

    /** Keeps calls until the test answers them. */
    private static final class ManualReplyBridge implements ToolBridge {
        private final List<ToolCall> sent = new ArrayList<>();
        private final List<CompletableFuture<ToolReply>> replies = new ArrayList<>();
        private final List<CallId> cancelled = new ArrayList<>();

        @Override
        public synchronized CompletionStage<ToolReply> send(ToolCall call) {
            sent.add(call);
            CompletableFuture<ToolReply> reply = new CompletableFuture<>();
            replies.add(reply);
            return reply;
        }

        @Override
        public synchronized void cancel(CallId id) {
            cancelled.add(id);
        }

        synchronized int sent() {
            return sent.size();
        }

        synchronized List<CallId> cancelled() {
            return List.copyOf(cancelled);
        }

        void answer(int index, String json) {
            answer(index, ToolResult.success(new Json(json)));
        }

        void answer(int index, ToolResult result) {
            CompletableFuture<ToolReply> reply;
            synchronized (this) {
                reply = replies.get(index);
            }
            reply.complete(ToolReply.local(result));
        }
    }

    private static PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
        return tool.hints().destructive()
                ? new PolicyDecision.DenyDecision("no-mail", "not here")
                : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
    }

    private EngineServices context() {
        return context(Duration.ofMillis(20));
    }

    private EngineServices context(Duration flush) {
        return context(flush, executor);
    }

    private EngineServices context(Duration flush, Executor tasks) {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("b", "java", "q"),
                List.of(
                        new ToolSpec(new ToolName("b", "read"), "", new Json("{}"), ToolHints.READ_ONLY),
                        new ToolSpec(new ToolName("b", "effect"), "", new Json("{}"), ToolHints.EFFECT),
                        new ToolSpec(new ToolName("b", "again"), "", new Json("{}"), ToolHints.IDEMPOTENT),
                        new ToolSpec(new ToolName("b", "mail"), "", new Json("{}"), ToolHints.DESTRUCTIVE)));
        return new EngineServices(
                sandbox,
                catalog,
                new ToolCallAuthorizer(catalog, tenant -> ExecutionRunnerTest::decide),
                bridge,
                store,
                approvals,
                artifacts,
                events,
                new ToolboxCache(catalog, List.of()),
                new RunMetricsListener(),
                tasks,
                scheduler,
                InstantSource.fixed(Instant.EPOCH),
                new EngineServices.NodeLimits(
                        flush,
                        Duration.ofSeconds(30),
                        Duration.ofDays(30),
                        Duration.ofSeconds(5),
                        8,
                        1_000,
                        1_000,
                        10,
                        3,
                        1_000,
                        3,
                        10_000_000));
    }

    @AfterEach
    void stopThreads() {
        executor.shutdownNow();
        scheduler.shutdownNow();
    }

    private ExecutionId accepted() {
        return accepted(LIMITS);
    }

    private ExecutionId accepted(ExecutionLimits limits) {
        return accepted(limits, Durability.JOURNAL);
    }

    private ExecutionId accepted(ExecutionLimits limits, Durability durability) {
        ExecutionId id = ids.next();
        store.insert(new NewExecution(
                id,
                "t",
                "k",
                "return 1",
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                Json.EMPTY_OBJECT,
                Json.EMPTY_OBJECT,
                limits,
                List.of("b.*"),
                Map.of(),
                4,
                DebugMode.NONE,
                durability,
                Optional.empty(),
                Optional.empty()));
        return id;
    }

    private ExecutionId running() {
        ExecutionId id = accepted();
        runner.run(id);
        return id;
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long for: " + what).isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void awaitState(ExecutionId id, ExecutionState state) {
        await(id + " to be " + state, () -> store.row(id).state == state);
        await("its place to be free", () -> runner.freeSlots() == 8);
    }

    @Test
    void returnedValueIsTheResultAndWakesWaiters() {
        ExecutionId id = running();
        CompletableFuture<Void> woken = new CompletableFuture<>();
        completions.subscribe(id, () -> woken.complete(null));
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "hello");
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("{\"a\":1}"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).outcome).isEqualTo(new ExecutionOutcome.ExecutionCompleted(new Json("{\"a\":1}")));
        assertThat(store.row(id).out).hasToString("hello");
        assertThat(woken).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void outputOfBothStreamsIsStoredInTheOrderOfWriting() {
        ExecutionId id = running();
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "step 1\n");
        sandbox.last().listener.onOutput(OutputStreamKind.ERR, "warning\n");
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "step 2\n");
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).output)
                .containsExactly(
                        new OutputChunk(OutputKind.OUT, 0, "step 1\n", 0, Instant.EPOCH),
                        new OutputChunk(OutputKind.ERR, 0, "warning\n", 7, Instant.EPOCH),
                        new OutputChunk(OutputKind.OUT, 7, "step 2\n", 15, Instant.EPOCH));
    }

    @Test
    void trivialScriptCostsOneWriteAfterItsClaim() {
        ExecutionId id = accepted();
        // The long interval excludes the periodic writes.
        ExecutionRunner unhurried =
                new ExecutionRunner(store, context(Duration.ofHours(1)), completions, 8, shortOfMemory::get);
        unhurried.startAccepting(NODE);
        unhurried.run(id);
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "quick");
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).writes).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"3600, 3600000", "-3600, -3600000", "0, 0"})
    void sessionClockOffsetFollowsTheStoreClock(long seconds, long millis) {
        store.clock = InstantSource.fixed(Instant.EPOCH.plusSeconds(seconds));
        ExecutionId id = running();
        assertThat(sandbox.last().request.replayState().clockOffsetMillis()).isEqualTo(millis);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0",
        "5, 0, 0, 0",
        "0, 1, 0, 0",
        "0, 4, 0, 0",
        "0, 0, 3, 0",
        "0, 0, 0, 3",
        "2, 1, 0, 0",
        "3, 2, 1, 2",
        "2, 3, 3, 2"
    })
    void scriptCostsOneWritePerEffectAndOneMore(int reads, int effects, int emitted, int artifactsMade) {
        ExecutionId id = accepted(new ExecutionLimits(60_000, 1_000, 1 << 20, 100, 1_000));
        ExecutionRunner unhurried =
                new ExecutionRunner(store, context(Duration.ofHours(1)), completions, 8, shortOfMemory::get);
        unhurried.startAccepting(NODE);
        unhurried.run(id);
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        List<Runnable> calls = new ArrayList<>();
        AtomicLong ordinal = new AtomicLong();
        Collections.nCopies(reads, 0).forEach(any -> calls.add(() -> answered(session, ordinal, "read")));
        Collections.nCopies(effects, 0).forEach(any -> calls.add(() -> answered(session, ordinal, "effect")));
        Collections.nCopies(emitted, 0)
                .forEach(any -> calls.add(
                        () -> hosted(session, ordinal, HostServices.EVENT_EMIT, "{\"name\":\"e\",\"data\":1.0}")));
        Collections.nCopies(artifactsMade, 0)
                .forEach(any -> calls.add(() -> hosted(
                        session,
                        ordinal,
                        HostServices.ARTIFACT_WRITE,
                        "{\"name\":\"a\",\"kind\":\"text\",\"data\":\"aGk=\"}")));
        // The order does not matter: reads between two effects are stored with the later effect.
        Collections.shuffle(calls, new Random(reads * 31L + effects));
        calls.forEach(Runnable::run);
        assertThat(store.row(id).writes).isEqualTo(effects + emitted + artifactsMade);

        session.listener.onEnded(new SessionResult.ScriptReturned("1"));

        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).writes).isEqualTo(effects + emitted + artifactsMade + 1);
    }

    private void answered(FakeSandbox.FakeSandboxSession session, AtomicLong ordinal, String tool) {
        long call = ordinal.incrementAndGet();
        int sent = bridge.sent();
        session.listener.onToolCall(call, "b", tool, "{}");
        await("the call to be sent", () -> bridge.sent() == sent + 1);
        bridge.answer(sent, "1");
        await("its answer", () -> session.delivered().contains(call + "=1"));
    }

    private static void hosted(
            FakeSandbox.FakeSandboxSession session, AtomicLong ordinal, String service, String arguments) {
        long call = ordinal.incrementAndGet();
        session.listener.onToolCall(call, HostServices.BACKEND, service, arguments);
        await("its answer", () -> session.delivered().stream().anyMatch(each -> each.startsWith(call + "=")));
    }

    @Test
    void progressIsStoredWhileTheScriptRuns() {
        ExecutionId id = running();
        sandbox.last().listener.onProgress(0.5, "half");
        await("its progress", () -> store.row(id).progress.equals(Optional.of(new ExecutionProgress(500, "half"))));
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void hostAnswersArtifactAndEventCalls() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(
                1,
                HostServices.BACKEND,
                HostServices.ARTIFACT_WRITE,
                "{\"name\":\"a\",\"kind\":\"text\",\"data\":\"aGk=\"}");
        await("its answer", () -> session.delivered().contains("1={\"name\":\"a\",\"size\":2}"));
        session.listener.onToolCall(2, HostServices.BACKEND, HostServices.ARTIFACT_READ, "{\"name\":\"a\"}");
        await("the content", () -> session.delivered().stream().anyMatch(each -> each.contains("aGk=")));
        session.listener.onToolCall(3, HostServices.BACKEND, HostServices.EVENT_NEXT, "{\"names\":[\"e\"]}");
        session.listener.onToolCall(4, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"e\",\"data\":1.0}");
        await("the event", () -> session.delivered().stream().anyMatch(each -> each.startsWith("3={\"seq\":1")));
        session.listener.onToolCall(5, HostServices.BACKEND, "no.such", "{}");
        await("a refusal", () -> session.delivered().contains("5!tool-not-found"));
        session.listener.onToolCall(
                6,
                HostServices.BACKEND,
                HostServices.ARTIFACT_WRITE,
                "{\"name\":\"\",\"kind\":\"text\",\"data\":\"\"}");
        await("a refusal", () -> session.delivered().contains("6!invalid-arguments"));
        session.listener.onToolCall(7, HostServices.BACKEND, HostServices.EVENT_NEXT, "{\"names\":[\"never\"]}");
        await("the wait", () -> events.waiterCount() == 1);
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        await("nobody to wait", () -> events.waiterCount() == 0);
        assertThat(bridge.sent()).isZero();
    }

    @Test
    void artifactAndEventCallsAreLimited() {
        running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        for (int call = 1; call <= 4; call++) {
            session.listener.onToolCall(
                    call,
                    HostServices.BACKEND,
                    HostServices.ARTIFACT_WRITE,
                    "{\"name\":\"a\",\"kind\":\"text\",\"data\":\"\"}");
        }
        await("the limit", () -> session.delivered().contains("4!call-limit"));
        for (int call = 5; call <= 8; call++) {
            session.listener.onToolCall(call, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"a\"}");
        }
        await("the limit", () -> session.delivered().contains("8!call-limit"));
        session.listener.onToolCall(
                9,
                HostServices.BACKEND,
                HostServices.ARTIFACT_WRITE,
                "{\"name\":\"b\",\"kind\":\"text\",\"data\":\"" + "QUFB".repeat(400) + "\"}");
        await("the limit", () -> session.delivered().contains("9!too-large"));
    }

    @Test
    void duplicateJobMessageIsIgnored() {
        ExecutionId id = running();
        runner.run(id);
        assertThat(sandbox.sessions).hasSize(1);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        runner.run(id);
        assertThat(sandbox.sessions).hasSize(1);
        assertThat(runner.liveCount()).isZero();
    }

    @Test
    void readOnlyCallIsSentAnsweredAndTraced() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, "42");
        await("the answer", () -> session.delivered().equals(List.of("1=42")));
        session.listener.onEnded(new SessionResult.ScriptReturned("42"));
        awaitState(id, ExecutionState.COMPLETED);
        List<TraceEvent> trace = store.readTrace(id, 0, 100);
        assertThat(trace.stream().map(TraceEvent::seq))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 3).boxed().toList());
        assertThat(trace.get(1)).isInstanceOf(TraceEvent.ToolStarted.class);
        assertThat(trace.get(2)).isInstanceOf(TraceEvent.ToolEnded.class);
    }

    @Test
    void scriptReceivesTextsForNumbersThatJavaScriptWouldChange() {
        ExecutionId id = ids.next();
        store.insert(NewExecutionBuilder.anExecution()
                .id(id)
                .grants("b.*")
                .args("{\"id\":9007199254740993,\"price\":19.99}")
                .context("[0.1234567890123456789]")
                .build());
        runner.run(id);
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        assertThat(session.request.args()).isEqualTo("{\"id\":\"9007199254740993\",\"price\":19.99}");
        assertThat(session.request.context()).isEqualTo("[\"0.1234567890123456789\"]");

        session.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        Json details = new Json("{\"id\":9007199254740993}");
        bridge.answer(
                0, new ToolResult.ToolFailure(new ToolError(ToolErrorCode.TOOL_FAILED, "no", Optional.of(details))));
        await("the answer", () -> session.delivered().equals(List.of("1!tool-failed")));
        String data = "{\"name\":\"e\",\"data\":[12345678901234567890.125,0.1]}";
        session.listener.onToolCall(2, HostServices.BACKEND, HostServices.EVENT_NEXT, "{\"names\":[\"e\"]}");
        await("the wait", () -> events.waiterCount() == 1);
        session.listener.onToolCall(3, HostServices.BACKEND, HostServices.EVENT_EMIT, data);
        await(
                "the event",
                () -> session.delivered().stream()
                        .anyMatch(each -> each.contains("\"data\":[\"12345678901234567890.125\",0.1]")));
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);

        assertThat(store.row(id).execution.args().text()).isEqualTo("{\"id\":9007199254740993,\"price\":19.99}");
        assertThat(store.readTrace(id, 0, 100))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .first()
                .satisfies(end -> assertThat(((TraceEvent.ToolEnded) end).error())
                        .hasValueSatisfying(error ->
                                assertThat(error.details()).contains(new Json("{\"id\":\"9007199254740993\"}"))));
    }

    /** Otherwise a client that watches the execution would see a call in progress that has already ended. */
    @Test
    void lastAnswerIsStoredWhileTheScriptRuns() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        await("the call to be stored", () -> store.readTrace(id, 0, 100).size() == 2);
        bridge.answer(0, "42");
        await(
                "its answer to be stored",
                () -> store.readTrace(id, 0, 100).stream().anyMatch(TraceEvent.ToolEnded.class::isInstance));
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("42"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void effectIsSentOnlyAfterAllEarlierEntriesAreStored() {
        ExecutionId id = running();
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "before");
        store.failNext(1);
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        assertThat(store.row(id).out).hasToString("before");
        assertThat(store.readTrace(id, 0, 10)).hasSize(2);
        bridge.answer(0, "null");
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void scriptWaitsWhileTooManyEntriesAreNotWritten() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        store.failNext(Integer.MAX_VALUE);
        session.listener.onToolCall(1, "b", "read", "{\"text\":\"" + "x".repeat(5 << 20) + "\"}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, "1");
        session.listener.onToolCall(2, "b", "read", "{}");
        await("the next call to be sent", () -> bridge.sent() == 2);
        bridge.answer(1, "2");
        assertThat(session.delivered()).isEmpty();

        store.failNext(0);
        await("both replies", () -> session.delivered().size() == 2);
        assertThat(session.delivered()).containsExactly("1=1", "2=2");
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void ungrantedOrDeniedCallIsNeverSentAndIsTraced() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "other", "tool", "{}");
        session.listener.onToolCall(2, "b", "mail", "{}");
        session.listener.onToolCall(3, "b", "reed", "{}");
        await("three refusals", () -> session.delivered().size() == 3);
        assertThat(session.delivered()).containsExactly("1!not-granted", "2!denied", "3!tool-not-found");
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(bridge.sent()).isZero();
        List<TraceEvent> trace = store.readTrace(id, 0, 10);
        assertThat(trace).hasSize(8);
        assertThat(trace)
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .extracting(event -> ((TraceEvent.ToolEnded) event).attempts())
                .containsExactly(0, 0, 0);
    }

    @Test
    void openCallsAtTheEndAreCancelledAndLateRepliesDropped() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        int traced = store.readTrace(id, 0, 10).size();
        bridge.answer(0, "late");
        assertThat(bridge.cancelled()).containsExactly(new CallId(id.toString(), 1));
        assertThat(session.delivered()).isEmpty();
        assertThat(store.readTrace(id, 0, 10)).hasSize(traced);
    }

    @Test
    void sentEffectWithoutAnswerAtTheEndIsTracedAsOutcomeUnknown() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "b", "effect", "{}");
        session.listener.onToolCall(2, "b", "read", "{}");
        await("the calls to be sent", () -> bridge.sent() == 2);
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(bridge.cancelled()).hasSize(2);
        assertThat(store.readTrace(id, 0, 10))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .extracting(event ->
                        ((TraceEvent.ToolEnded) event).error().orElseThrow().code())
                .containsExactly(ToolErrorCode.OUTCOME_UNKNOWN, ToolErrorCode.CANCELLED);
    }

    @Test
    void invalidToolNamesAreRefusedAndTracedAsMisnamed() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "b", "", "{}");
        session.listener.onToolCall(2, "", "read", "{}");
        session.listener.onToolCall(3, "b.read", "x", "{}");
        session.listener.onToolCall(4, "b", "x".repeat(100_000), "{}");
        session.listener.onToolCall(5, "b".repeat(100_000), "read", "{}");
        await("the refusals", () -> session.delivered().size() == 5);
        assertThat(session.delivered()).allMatch(answer -> answer.contains("tool-not-found"));
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.readTrace(id, 0, 10))
                .filteredOn(TraceEvent.ToolStarted.class::isInstance)
                .extracting(event -> ((TraceEvent.ToolStarted) event).tool().toString())
                .hasSize(5)
                .containsOnly("$sallyport.misnamed");
        assertThat(JournalSize.ofEntries(store.readTrace(id, 0, 100))).isLessThan(10_000);
    }

    @Test
    void longTextsOfAnErrorAreShortened() {
        ExecutionId id = running();
        String text = "x".repeat(100_000);
        sandbox.last()
                .listener
                .onEnded(new SessionResult.ScriptThrew("script-error", text, 1, 2, text, "b." + text, 0));
        awaitState(id, ExecutionState.FAILED);
        assertThat(store.row(id).outcome).isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
            assertThat(failed.error().message())
                    .hasSizeLessThan(20_010)
                    .startsWith("xxx")
                    .endsWith("…");
            assertThat(failed.error().stack()).hasSizeLessThan(20_010).endsWith("…");
            assertThat(failed.error().tool().orElseThrow())
                    .hasSizeLessThan(1_010)
                    .endsWith("…");
            assertThat(failed.error().line()).isEqualTo(1);
        });
    }

    @Test
    void longMessageOfAFailedCallIsShortened() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, ToolResult.failure(ToolErrorCode.TOOL_FAILED, "x".repeat(100_000)));
        await("the reply", () -> session.delivered().size() == 1);
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.readTrace(id, 0, 10))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .singleElement()
                .extracting(event ->
                        ((TraceEvent.ToolEnded) event).error().orElseThrow().message())
                .asString()
                .hasSizeLessThan(20_010)
                .endsWith("…");
    }

    @Test
    void cancelStopsTheSession() {
        ExecutionId id = running();
        store.cancel("t", id);
        assertThat(runner.cancel(id)).isTrue();
        awaitState(id, ExecutionState.CANCELLED);
        assertThat(sandbox.last().cancelled).isTrue();
    }

    @Test
    void cancelledWhileQueuedNeverRuns() {
        ExecutionId id = accepted();
        store.cancel("t", id);
        runner.run(id);
        assertThat(sandbox.sessions).isEmpty();
        assertThat(runner.liveCount()).isZero();
    }

    @Test
    void sweeperFindsACancelRequestWhoseMessageWasLost() {
        ExecutionId id = running();
        store.cancel("t", id);
        sweeper().sweep();
        awaitState(id, ExecutionState.CANCELLED);
    }

    @Test
    void sweeperSendsRemindersAfterAllOtherWork() {
        ExecutionId id = running();
        store.cancel("t", id);
        List<ExecutionState> then = new ArrayList<>();
        approvals.reminding = () -> {
            awaitState(id, ExecutionState.CANCELLED);
            then.add(store.row(id).state);
            throw new IllegalStateException("the reminders fail");
        };
        sweeper().sweep();
        assertThat(then).containsExactly(ExecutionState.CANCELLED);
    }

    @Test
    void scriptThatCompletesAfterACancelRequestIsCancelled() {
        ExecutionId id = running();
        store.cancel("t", id);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.CANCELLED);
    }

    @Test
    void wallClockLimitWinsOverACancelledSession() {
        ExecutionId id = accepted(new ExecutionLimits(30, 1_000, 1 << 20, 10, 1_000));
        runner.run(id);
        awaitState(id, ExecutionState.TIMED_OUT);
    }

    @Test
    void timeoutByDeadlineIsNotReportedAsWallClockLimit() {
        store.byDeadline = true;
        ExecutionId id = accepted(new ExecutionLimits(30, 1_000, 1 << 20, 10, 1_000));
        runner.run(id);
        awaitState(id, ExecutionState.TIMED_OUT);
        assertThat(store.row(id).outcome)
                .isInstanceOfSatisfying(
                        ExecutionOutcome.ExecutionTimedOut.class,
                        late -> assertThat(late.error().message()).contains("deadline of the execution"));
    }

    @Test
    void endedExecutionReleasesItsConcurrencyKey() {
        List<String> passed = new CopyOnWriteArrayList<>();
        runner.setConcurrencyKeyListener((tenant, key) -> passed.add(tenant + "/" + key));
        ExecutionId plain = running();
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(plain, ExecutionState.COMPLETED);
        ExecutionId keyed = ids.next();
        store.insert(NewExecutionBuilder.anExecution()
                .id(keyed)
                .admission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("printer")))
                .build());
        runner.run(keyed);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(keyed, ExecutionState.COMPLETED);
        await("the turn to be passed on", () -> !passed.isEmpty());
        assertThat(passed).containsExactly("tenant-a/printer");
    }

    @Test
    void sweeperQueuesDelayedExecutionsThatAreDue() {
        ExecutionId id = ids.next();
        store.insert(NewExecutionBuilder.anExecution()
                .id(id)
                .admission(AdmissionConstraints.afterDelay(Duration.ofHours(1)))
                .build());
        runner.run(id);
        assertThat(store.row(id).state).as("it is too early").isEqualTo(ExecutionState.PENDING);
        sweeper().resumeDue(Duration.ofSeconds(1));
        runner.run(id);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
    }

    @Test
    void outcomeSurvivesADatabaseOutage() {
        ExecutionId id = running();
        store.failNext(2);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void outcomeWhoseCommitIsNotAnsweredIsStoredOnce() {
        ExecutionId id = running();
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "printed");
        store.loseAnswers(2);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        await("the run to end", () -> runner.freeSlots() == 8);
        assertThat(store.row(id).out).hasToString("printed");
        assertThat(store.row(id).attempt).isEqualTo(1);
    }

    @Test
    void failedClaimLeavesTheExecutionPendingAndTheSlotFree() {
        ExecutionId id = accepted();
        store.failNext(1);
        runner.run(id);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(runner.freeSlots()).isEqualTo(8);
    }

    @Test
    void unwritableOutcomeBecomesAFailure() {
        ExecutionId id = running();
        store.unwritable = (outcome, entries) -> outcome instanceof ExecutionOutcome.ExecutionCompleted;
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "before");
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        assertFailed(id, "internal-error", "could not be stored");
        assertThat(store.row(id).out).hasToString("before");
    }

    @Test
    void executionWithUnwritableEntriesEndsWithoutThem() {
        ExecutionId id = running();
        store.unwritable = (outcome, entries) -> !entries.output().isEmpty();
        // The lock prevents the runner from writing the output before the end.
        synchronized (store) {
            sandbox.last().listener.onOutput(OutputStreamKind.OUT, "what no store takes");
            sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        }
        assertFailed(id, "internal-error", "could not be stored");
    }

    @Test
    void executionWithUnwritableEndFreesItsSlot() {
        ExecutionId id = running();
        store.unwritable = (outcome, entries) -> true;
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        await("its place to be free", () -> runner.freeSlots() == 8);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
        assertThat(runner.liveCount()).isZero();
    }

    @Test
    void executionFailsWhenItsJournalCannotBeReadAtTheStart() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        store.recover(id);
        store.unreadable = true;
        ExecutionRunner next = new ExecutionRunner(store, context(), completions, 8, shortOfMemory::get);
        next.startAccepting("n.2");
        CompletableFuture<Void> woken = new CompletableFuture<>();
        completions.subscribe(id, () -> woken.complete(null));

        next.run(id);

        await("its end", () -> store.row(id).state == ExecutionState.FAILED);
        await("its place to be free", () -> next.freeSlots() == 8);
        assertFailure(id, "internal-error", "could not be started");
        assertThat(next.liveCount()).isZero();
        assertThat(woken).succeedsWithin(Duration.ofSeconds(60));
        assertThat(sandbox.sessions).hasSize(1);
    }

    @Test
    void executionFailsWhenItsJournalCannotBeReadAfterAWorkerLoss() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        store.unreadable = true;

        sandbox.last().listener.onEnded(lost(false));

        assertFailed(id, "internal-error", "could not be started");
        assertThat(runner.liveCount()).isZero();
        assertThat(runner.isRunning(id)).isFalse();
        assertThat(sandbox.sessions).hasSize(1);
        assertThat(bridge.cancelled()).containsExactly(new CallId(id.toString(), 1));
    }

    @Test
    void failedClaimAfterAWorkerLossFreesTheSlot() {
        ExecutionId id = running();
        store.unclaimable = true;

        sandbox.last().listener.onEnded(lost(false));

        await("its place to be free", () -> runner.freeSlots() == 8);
        assertThat(runner.isRunning(id)).isFalse();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void executionIsRestartedAlthoughTheAnswerToItsReleaseIsLost() {
        ExecutionId id = running();
        store.loseAnswers(1);
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).attempt).isEqualTo(2);
    }

    @Test
    void executionThatCannotBeReleasedAfterAWorkerLossFails() {
        ExecutionId id = running();
        store.unreleasable = true;
        sandbox.last().listener.onEnded(lost(false));
        assertFailed(id, "internal-error", "could not be stored when its run was interrupted");
    }

    @Test
    void scriptWithACallThatCannotBeProcessedFails() {
        ExecutionId id = running();
        failsArtifacts.set(true);
        sandbox.last()
                .listener
                .onToolCall(
                        1,
                        HostServices.BACKEND,
                        HostServices.ARTIFACT_WRITE,
                        "{\"name\":\"a\",\"kind\":\"text\",\"data\":\"\"}");
        assertFailed(id, "internal-error", "an error of the server stopped the script");
    }

    @Test
    void wakesAreNoWorkerLosses() {
        ExecutionId id = accepted();
        store.row(id).attempt = 24;
        runner.run(id);
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void takenOverExecutionStopsSilently() {
        ExecutionId id = running();
        store.row(id).attempt++;
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "into the void");
        await("the session to be stopped", () -> sandbox.last().cancelled);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
        assertThat(store.row(id).outcome).isNull();
        assertThat(store.row(id).out).isEmpty();
    }

    private static SessionResult lost(boolean suspect) {
        return new SessionResult.SessionLost(
                SessionResult.SessionLossReason.WORKER_LOST, "The worker was ended", suspect);
    }

    private void awaitSessions(int count) {
        await(count + " sessions", () -> sandbox.sessions.size() == count);
    }

    private void assertFailed(ExecutionId id, String code, String message) {
        awaitState(id, ExecutionState.FAILED);
        assertFailure(id, code, message);
    }

    private void assertFailure(ExecutionId id, String code, String message) {
        assertThat(store.row(id).outcome).isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
            assertThat(failed.error().code()).isEqualTo(code);
            assertThat(failed.error().message()).contains(message);
        });
    }

    @Test
    void innocentScriptIsRetriedAfterAWorkerLossWithoutDuplicates() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession first = sandbox.last();
        first.listener.onOutput(OutputStreamKind.OUT, "one\n");
        first.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        first.listener.onEnded(lost(false));
        awaitSessions(2);
        FakeSandbox.FakeSandboxSession second = sandbox.last();
        second.listener.onOutput(OutputStreamKind.OUT, "one\ntwo\n");
        second.listener.onToolCall(1, "b", "read", "{}");
        bridge.answer(0, "42");
        await("the answer", () -> second.delivered().equals(List.of("1=42")));
        second.listener.onEnded(new SessionResult.ScriptReturned("42"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).out).hasToString("one\ntwo\n");
        assertThat(store.row(id).attempt).isEqualTo(2);
        assertThat(first.delivered()).isEmpty();
        assertThat(bridge.sent()).isEqualTo(1);
        assertThat(bridge.cancelled()).isEmpty();
        assertThat(store.readTrace(id, 0, 100))
                .extracting(event -> event instanceof TraceEvent.StateChanged state
                        ? state.state() + " " + state.attempt()
                        : event.getClass().getSimpleName())
                .containsExactly("RUNNING 1", "ToolStarted", "PENDING 1", "RUNNING 2", "ToolEnded");
    }

    @Test
    void scriptWithAnEffectResumesInAnotherWorkerWithoutRepeatingIt() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, "1");
        await("the answer", () -> !sandbox.last().delivered().isEmpty());
        sandbox.last().listener.onToolCall(2, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 2);
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        FakeSandbox.FakeSandboxSession second = sandbox.last();
        assertThat(second.request.replayState().replyCount()).isEqualTo(1);
        assertThat(second.request.replayState().seed())
                .isEqualTo(sandbox.sessions.get(0).request.replayState().seed());
        second.listener.onToolCall(1, "b", "effect", "{}");
        second.listener.onToolCall(2, "b", "effect", "{}");
        bridge.answer(1, "2");
        await("the answers", () -> second.delivered().equals(List.of("1=1", "2=2")));
        second.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(bridge.sent()).isEqualTo(2);
    }

    /**
     * Resumes the execution on a second node as after a crash of the first: unwritten entries and calls in progress are
     * lost.
     */
    private FakeSandbox.FakeSandboxSession resumed(ExecutionId id) {
        store.recover(id);
        ExecutionRunner next = new ExecutionRunner(store, context(), completions, 8, shortOfMemory::get);
        next.startAccepting("n.2");
        int sessions = sandbox.sessions.size();
        next.run(id);
        awaitSessions(sessions + 1);
        return sandbox.last();
    }

    @Test
    void readOnlyCallsAreRepeatedAfterACrashAndEffectsAreNot() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession first = sandbox.last();
        first.listener.onToolCall(1, "b", "read", "{}");
        first.listener.onToolCall(2, "b", "effect", "{}");
        first.listener.onToolCall(3, "b", "again", "{}");
        await("the calls to be sent", () -> bridge.sent() == 3);
        FakeSandbox.FakeSandboxSession second = resumed(id);
        second.listener.onToolCall(1, "b", "read", "{}");
        second.listener.onToolCall(2, "b", "effect", "{}");
        second.listener.onToolCall(3, "b", "again", "{}");
        await("the calls that may be repeated", () -> bridge.sent() == 5);
        await("the word on the other", () -> second.delivered().equals(List.of("2!outcome-unknown")));
        assertThat(bridge.sent.subList(3, 5))
                .extracting(call -> call.id().toString())
                .containsExactlyInAnyOrder(id + "/1", id + "/3");
    }

    @Test
    void startOfALongWaitIsStoredAlthoughNothingFollows() {
        ExecutionId id = running();
        sandbox.last().listener.onReplayLog("1700000000000 ");
        await(
                "its entry",
                () -> store.readEntries(id, 0, 100).stream()
                        .anyMatch(event -> event instanceof TraceEvent.ReplayLogRecorded));
        FakeSandbox.FakeSandboxSession second = resumed(id);
        assertThat(second.request.replayState().log()).isEqualTo("1700000000000 ");
    }

    @Test
    void eventWithALostAnswerIsEmittedOnceAndItsCallSucceeds() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        lostEventAnswers.set(1);
        session.listener.onToolCall(1, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"paid\",\"data\":1}");
        await("the answer", () -> !session.delivered().isEmpty());
        assertThat(session.delivered()).containsExactly("1={\"seq\":1}");
        assertThat(events.lastSeq("t")).isEqualTo(1);
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void effectsWithALostAnswerCountOnceForTheirLimits() {
        running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        lostArtifactAnswers.set(1);
        for (int call = 1; call <= 4; call++) {
            session.listener.onToolCall(
                    call,
                    HostServices.BACKEND,
                    HostServices.ARTIFACT_WRITE,
                    "{\"name\":\"a\",\"kind\":\"text\",\"data\":\"\"}");
        }
        await("the limit", () -> session.delivered().contains("4!call-limit"));
        assertThat(session.delivered())
                .contains("1={\"name\":\"a\",\"size\":0}", "2={\"name\":\"a\",\"size\":0}")
                .contains("3={\"name\":\"a\",\"size\":0}");
        lostEventAnswers.set(1);
        for (int call = 5; call <= 8; call++) {
            session.listener.onToolCall(call, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"a\"}");
        }
        await("the limit", () -> session.delivered().contains("8!call-limit"));
        assertThat(session.delivered()).contains("5={\"seq\":1}", "6={\"seq\":2}", "7={\"seq\":3}");
    }

    /** Otherwise the run would keep the execution from the next one until the database answers. */
    @Test
    void endOfARunEndsTheRepetitionOfItsEffects() {
        ExecutionId id = running();
        lostEventAnswers.set(Integer.MAX_VALUE);
        sandbox.last().listener.onToolCall(1, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"paid\"}");
        await("the event", () -> events.lastSeq("t") == 1);
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        FakeSandbox.FakeSandboxSession second = sandbox.last();
        second.listener.onToolCall(1, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"paid\"}");
        lostEventAnswers.set(0);
        await("the answer", () -> !second.delivered().isEmpty());
        assertThat(second.delivered()).containsExactly("1={\"seq\":1}");
        assertThat(events.lastSeq("t")).isEqualTo(1);
        second.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void effectThatMayBeStoredAtTheEndOfItsExecutionIsUnknown() {
        ExecutionId id = running();
        lostEventAnswers.set(Integer.MAX_VALUE);
        sandbox.last().listener.onToolCall(1, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"paid\"}");
        await("the event", () -> events.lastSeq("t") == 1);
        store.cancel("t", id);
        assertThat(runner.cancel(id)).isTrue();
        awaitState(id, ExecutionState.CANCELLED);
        assertThat(store.readTrace(id, 0, 10))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .extracting(event ->
                        ((TraceEvent.ToolEnded) event).error().orElseThrow().code())
                .containsExactly(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void effectThatIsBeingStoredWhenItsExecutionIsCancelledHasItsReply() throws Exception {
        commitAnswer = new CountDownLatch(1);
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, HostServices.BACKEND, HostServices.EVENT_EMIT, "{\"name\":\"paid\"}");
        assertThat(eventsEmitted.await(60, TimeUnit.SECONDS)).isTrue();
        store.cancel("t", id);
        assertThat(runner.cancel(id)).isTrue();
        commitAnswer.countDown();
        awaitState(id, ExecutionState.CANCELLED);
        assertThat(store.readTrace(id, 0, 10))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .extracting(event -> ((TraceEvent.ToolEnded) event).error())
                .containsExactly(Optional.empty());
    }

    @Test
    void newAnswerWaitsUntilRecordedAnswersAreReplayed() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession first = sandbox.last();
        first.listener.onToolCall(1, "b", "read", "{}");
        first.listener.onToolCall(2, "b", "read", "{\"n\":2}");
        await("the calls to be sent", () -> bridge.sent() == 2);
        bridge.answer(1, "2");
        await("the answer", () -> first.delivered().equals(List.of("2=2")));
        first.listener.onReplayLog("t1@1 ");
        first.listener.onToolCall(3, "b", "effect", "{}");
        await("the effect to be sent", () -> bridge.sent() == 3);
        FakeSandbox.FakeSandboxSession second = resumed(id);
        assertThat(second.request.replayState().log()).isEqualTo("t1@1 ");
        second.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be asked again", () -> bridge.sent() == 4);
        bridge.answer(3, "1");
        assertThat(second.delivered()).isEmpty();
        second.listener.onToolCall(2, "b", "read", "{\"n\":2}");
        await("both answers in their order", () -> second.delivered().equals(List.of("2=2", "1=1")));
    }

    private ExecutionId runningWithAnAnswer() {
        ExecutionId id = running();
        int sent = bridge.sent();
        sandbox.last().listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == sent + 1);
        bridge.answer(sent, "1");
        await("the answer to be stored", () -> store.row(id).trace.size() == 3);
        return id;
    }

    /** Returns another node, which runs executions that have lost their node. The first of them replays. */
    private ExecutionRunner nodeAfterTheLossOf(ExecutionId... lost) {
        ExecutionRunner next = new ExecutionRunner(store, context(), completions, 8, shortOfMemory::get);
        next.startAccepting("n.2");
        for (ExecutionId id : lost) {
            store.recover(id);
            store.row(id).losses = 1;
            next.run(id);
        }
        return next;
    }

    @Test
    void executionsThatHaveLostANodeReplayOneAfterTheOther() {
        ExecutionRunner next = nodeAfterTheLossOf(runningWithAnAnswer(), runningWithAnAnswer());
        assertThat(next.liveCount()).isEqualTo(2);
        assertThat(sandbox.sessions).as("the second waits").hasSize(3);
        FakeSandbox.FakeSandboxSession replaying = sandbox.last();
        next.run(accepted());
        assertThat(sandbox.sessions).as("another execution does not wait").hasSize(4);

        replaying.listener.onToolCall(1, "b", "read", "{}");
        awaitSessions(5);
        FakeSandbox.FakeSandboxSession second = sandbox.last();
        second.listener.onToolCall(1, "b", "read", "{}");
        await("its answer", () -> second.delivered().equals(List.of("1=1")));
        assertThat(replaying.delivered()).containsExactly("1=1");
    }

    @Test
    void executionThatEndsDuringItsReplayEndsItsTurn() {
        ExecutionRunner next = nodeAfterTheLossOf(runningWithAnAnswer(), runningWithAnAnswer());

        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));

        awaitSessions(4);
        await("only the second to run", () -> next.liveCount() == 1);
    }

    @Test
    void executionThatWaitsForItsTurnIsCancelledAtOnce() {
        ExecutionId waiting = runningWithAnAnswer();
        ExecutionRunner next = nodeAfterTheLossOf(runningWithAnAnswer(), waiting);

        store.cancel("t", waiting);
        assertThat(next.cancel(waiting)).isTrue();

        await("its end", () -> store.row(waiting).state == ExecutionState.CANCELLED);
        await("only the first to run", () -> next.liveCount() == 1);
        assertThat(sandbox.sessions).as("sessions, none for its second run").hasSize(3);
    }

    @Test
    void executionThatWaitsForItsTurnTimesOut() {
        ExecutionId waiting = accepted(new ExecutionLimits(30, 1_000, 1 << 20, 10, 1_000));
        ExecutionRunner next = nodeAfterTheLossOf(runningWithAnAnswer(), waiting);

        await("its end", () -> store.row(waiting).state == ExecutionState.TIMED_OUT);
        await("only the first to run", () -> next.liveCount() == 1);
        assertThat(sandbox.sessions).as("sessions, none for it").hasSize(2);
    }

    /** The other execution replays, and has the time of the shutdown to end. */
    @Test
    void shutdownReleasesExecutionsThatWaitForTheirTurnAtOnce() throws InterruptedException {
        ExecutionId replaying = runningWithAnAnswer();
        ExecutionId waiting = runningWithAnAnswer();
        ExecutionRunner next = nodeAfterTheLossOf(replaying, waiting);
        FakeSandbox.FakeSandboxSession session = sandbox.last();

        Thread closing = new Thread(() -> next.close(Duration.ofMinutes(10).toMillis()));
        closing.start();
        await("the release", () -> store.row(waiting).state == ExecutionState.PENDING);
        await("only the other to run", () -> next.liveCount() == 1);
        assertThat(store.row(replaying).state).isEqualTo(ExecutionState.RUNNING);
        assertThat(store.row(waiting).trace)
                .as("its earlier run, and the release")
                .hasSize(4);

        session.listener.onToolCall(1, "b", "read", "{}");
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        closing.join();
        assertThat(store.row(replaying).state).isEqualTo(ExecutionState.COMPLETED);
    }

    @Test
    void lostLeaseEndsTheWaitForATurnWithoutWriting() {
        ExecutionId waiting = runningWithAnAnswer();
        ExecutionRunner next = nodeAfterTheLossOf(runningWithAnAnswer(), waiting);

        next.stop();

        await("no run to be left", () -> next.liveCount() == 0);
        await("all slots to be free", () -> next.freeSlots() == 8);
        assertThat(store.row(waiting).state).isEqualTo(ExecutionState.RUNNING);
        assertThat(store.row(waiting).trace).hasSize(3);
    }

    /** The execution waits for another turn. The start of its first session must not end that wait. */
    @Test
    void executionThatLosesItsWorkerWhileItsSessionStartsGetsAnotherTurn() {
        ExecutionId lost = accepted();
        ExecutionId other = runningWithAnAnswer();
        store.recover(other);
        store.row(lost).losses = 1;
        store.row(other).losses = 1;
        ExecutionRunner next = new ExecutionRunner(
                store, context(Duration.ofMinutes(1), Runnable::run), completions, 8, shortOfMemory::get);
        next.startAccepting("n.2");
        sandbox.onNextStart(first -> {
            next.run(other);
            first.listener.onEnded(lost(false));
        });

        next.run(lost);
        assertThat(store.row(lost).attempt).isEqualTo(2);
        assertThat(sandbox.sessions).as("the second run waits").hasSize(3);
        FakeSandbox.FakeSandboxSession replaying = sandbox.last();
        replaying.listener.onToolCall(1, "b", "read", "{}");

        assertThat(replaying.delivered()).containsExactly("1=1");
        assertThat(sandbox.sessions).hasSize(4);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        assertThat(store.row(lost).state).isEqualTo(ExecutionState.COMPLETED);
        assertThat(next.liveCount()).isEqualTo(1);
    }

    /** Its run is over. The call must not end the wait of the next run of the execution. */
    @Test
    void callThatIsHandledAfterTheLossOfItsWorkerEndsNoTurn() throws InterruptedException {
        ExecutionId lost = runningWithAnAnswer();
        sandbox.last().listener.onToolCall(2, "b", "read", "{\"n\":2}");
        await("the call to be sent", () -> bridge.sent() == 2);
        bridge.answer(1, "2");
        await("the answer to be stored", () -> store.row(lost).trace.size() == 5);
        ExecutionId other = runningWithAnAnswer();
        for (ExecutionId id : List.of(lost, other)) {
            store.recover(id);
            store.row(id).losses = 1;
        }
        ExecutionRunner next = new ExecutionRunner(
                store, context(Duration.ofMinutes(1), Runnable::run), completions, 8, shortOfMemory::get);
        next.startAccepting("n.2");
        next.run(lost);
        FakeSandbox.FakeSandboxSession first = sandbox.last();
        next.run(other);
        Thread caller = new Thread(() -> first.listener.onToolCall(2, "b", "read", "{\"n\":2}"));
        first.onNextResult(() -> {
            caller.start();
            await("the call to wait for the one before", () -> caller.getState() == Thread.State.BLOCKED);
            first.listener.onEnded(lost(false));
        });

        first.listener.onToolCall(1, "b", "read", "{}");
        caller.join();
        assertThat(store.row(lost).attempt).isEqualTo(3);
        assertThat(sandbox.sessions).as("the next run waits").hasSize(4);
        sandbox.last().listener.onToolCall(1, "b", "read", "{}");

        assertThat(sandbox.sessions).hasSize(5);
    }

    @Test
    void divergingScriptFailsWithTheDifference() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{\"a\":1}");
        await("the call to be sent", () -> bridge.sent() == 1);
        FakeSandbox.FakeSandboxSession second = resumed(id);
        second.listener.onToolCall(1, "b", "effect", "{\"a\":2}");
        await("its end", () -> store.row(id).state == ExecutionState.FAILED);
        assertThat(store.row(id).outcome).isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
            assertThat(failed.error().code()).isEqualTo("non-deterministic-replay");
            assertThat(failed.error().message())
                    .contains("call 1 was b.effect {\"a\":1}, and now is b.effect {\"a\":2}");
        });
        assertThat(bridge.sent()).isEqualTo(1);
    }

    @Test
    void scriptThatOmitsARecordedCallFails() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        resumed(id).listener.onEnded(new SessionResult.ScriptReturned("1"));
        await("its end", () -> store.row(id).state == ExecutionState.FAILED);
        assertThat(String.valueOf(store.row(id).outcome)).contains("and now is not made");
    }

    @Test
    void refusedCallIsRefusedIdenticallyDuringReplay() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "mail", "{}");
        await("the refusal", () -> !sandbox.last().delivered().isEmpty());
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        sandbox.last().listener.onToolCall(1, "b", "mail", "{}");
        await("the same refusal", () -> sandbox.last().delivered().equals(List.of("1!denied")));
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void scriptThatLosesTwoWorkersAsSuspectFails() {
        ExecutionId id = running();
        sandbox.last().listener.onEnded(lost(true));
        awaitSessions(2);
        sandbox.last().listener.onEnded(lost(true));
        assertFailed(id, "worker-lost", "not the first");
        assertThat(sandbox.sessions).hasSize(2);
    }

    @Test
    void innocentScriptSurvivesRepeatedWorkerLosses() {
        ExecutionId id = running();
        for (int attempt = 1; attempt <= 6; attempt++) {
            awaitSessions(attempt);
            sandbox.last().listener.onEnded(lost(false));
        }
        awaitSessions(7);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void innocentScriptFailsAfterTwentyWorkerLosses() {
        ExecutionId id = running();
        for (int attempt = 1; attempt <= 20; attempt++) {
            awaitSessions(attempt);
            sandbox.last().listener.onEnded(lost(false));
        }
        assertFailed(id, "runner-lost", "20 times");
    }

    @Test
    void suspectScriptRunsAgainInItsOwnWorker() {
        ExecutionId id = running();
        assertThat(sandbox.last().request.needsOwnWorker()).isFalse();
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        assertThat(sandbox.last().request.needsOwnWorker()).isFalse();
        sandbox.last().listener.onEnded(lost(true));
        awaitSessions(3);
        assertThat(sandbox.last().request.needsOwnWorker()).isTrue();
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void suspectScriptFailsWithMemoryLimitAfterTwoFullWorkers() {
        SessionResult.SessionLost full =
                new SessionResult.SessionLost(SessionResult.SessionLossReason.OUT_OF_MEMORY, "It was full", true);
        ExecutionId id = running();
        sandbox.last().listener.onEnded(full);
        awaitSessions(2);
        sandbox.last().listener.onEnded(full);
        assertFailed(id, "memory-limit", "keep less data");
    }

    @Test
    void cancelledExecutionIsNotRetriedAfterAWorkerLoss() {
        ExecutionId id = running();
        store.cancel("t", id);
        sandbox.last().listener.onEnded(lost(false));
        awaitState(id, ExecutionState.CANCELLED);
        assertThat(sandbox.sessions).hasSize(1);
        assertThat(store.readTrace(id, 0, 10)).hasSize(1);
    }

    @Test
    void runnerWaitsForTheStoreAfterAWorkerLoss() {
        ExecutionId id = running();
        store.failNext(2);
        sandbox.last().listener.onEnded(lost(false));
        awaitSessions(2);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void protocolViolationOfAWorkerIsReportedAsFailure() {
        ExecutionId id = running();
        sandbox.last()
                .listener
                .onEnded(new SessionResult.SessionLost(SessionResult.SessionLossReason.PROTOCOL_VIOLATION, "nonsense"));
        assertFailed(id, "protocol-violation", "nonsense");
    }

    @Test
    void lostLeaseStopsAllWorkWithoutWriting() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession session = sandbox.last();
        session.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        await("the call to be stored", () -> store.row(id).trace.size() == 2);
        runner.stop();
        assertThat(session.cancelled).isTrue();
        assertThat(runner.liveCount()).isZero();
        assertThat(runner.freeSlots()).isEqualTo(8);
        session.listener.onOutput(OutputStreamKind.OUT, "late");
        session.listener.onToolCall(2, "b", "effect", "{}");
        session.listener.onEnded(new SessionResult.ScriptReturned("1"));
        assertThat(bridge.sent()).isEqualTo(1);
        // The node that resumes the execution makes the call again, under the same id.
        assertThat(bridge.cancelled()).isEmpty();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
        assertThat(store.row(id).trace).hasSize(2);
    }

    @Test
    void jobWaitsHereUntilTheNodeHasALease() {
        runner.stop();
        ExecutionId id = accepted();
        executor.execute(() -> runner.run(id));
        sweeper().sweep();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(store.row(id).jobSent).isFalse();
        runner.startAccepting("n.1.2");
        await("it to run", () -> store.row(id).state == ExecutionState.RUNNING);
        assertThat(store.row(id).node).isEqualTo("n.1.2");
    }

    @Test
    void executionStoppedByALostLeaseRunsAgainHere() {
        ExecutionId id = running();
        runner.stop();
        runner.startAccepting("n.2");
        sweeper().sweep();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        runner.run(id);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(store.row(id).attempt).isEqualTo(2);
    }

    @Test
    void sweeperRequeuesAnExecutionThatThisNodeHoldsButDoesNotRun() {
        ExecutionId id = accepted();
        store.claim(id, NODE);
        sweeper().sweep();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(store.row(id).losses).isZero();
        runner.run(id);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @Test
    void effectIsSentWithoutStoringWhenDurabilityIsNone() {
        ExecutionId id = accepted(LIMITS, Durability.NONE);
        runner.run(id);
        store.failNext(Integer.MAX_VALUE);
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, "1");
        await("the answer", () -> sandbox.last().delivered().size() == 1);
        store.failNext(0);
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3_600_000})
    void scriptGoesOnIfAReplyArrivesWhileItIsBeingParked(long millisToFirstTimer) {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession first = sandbox.last();
        first.listener.onToolCall(1, "b", "read", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, "1");
        await("the answer", () -> !first.delivered().isEmpty());
        first.listener.onEnded(new SessionResult.SessionParked(millisToFirstTimer, List.of(1L)));
        awaitSessions(2);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
        sandbox.last().listener.onToolCall(1, "b", "read", "{}");
        sandbox.last().listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(bridge.sent()).isEqualTo(1);
    }

    @Test
    void longWaitingScriptIsParkedFreesItsSlotAndResumes() {
        ExecutionId id = running();
        FakeSandbox.FakeSandboxSession first = sandbox.last();
        assertThat(first.request.parkAfterMillis()).isEqualTo(30_000);
        first.listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        bridge.answer(0, "1");
        await("the answer", () -> !first.delivered().isEmpty());
        first.listener.onReplayLog("17 ");
        first.listener.onEnded(new SessionResult.SessionParked(60_000, List.of()));
        awaitState(id, ExecutionState.WAITING);
        assertThat(runner.liveCount()).isZero();
        sweeper().sweep();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        runner.run(id);
        FakeSandbox.FakeSandboxSession second = sandbox.last();
        assertThat(second.request.replayState().log()).isEqualTo("17 ");
        assertThat(second.request.replayState().replyCount()).isEqualTo(1);
        second.listener.onToolCall(1, "b", "effect", "{}");
        second.listener.onEnded(new SessionResult.ScriptReturned("1"));
        awaitState(id, ExecutionState.COMPLETED);
        assertThat(bridge.sent()).isEqualTo(1);
    }

    @Test
    void waitingExecutionIsParkedSoonerWhenAllSlotsAreTaken() {
        List<FakeSandbox.FakeSandboxSession> first = new ArrayList<>();
        for (int place = 0; place < 8; place++) {
            running();
            first.add(sandbox.last());
        }
        sweeper().sweep();
        assertThat(first).allMatch(session -> session.delivered().isEmpty());

        ExecutionId ninth = accepted();
        executor.execute(() -> runner.run(ninth));
        await("those that have places to hear of it", () -> {
            runner.poll();
            return first.stream().allMatch(session -> session.delivered().equals(List.of("park 1000")));
        });
        first.get(0).listener.onEnded(new SessionResult.SessionParked(9_000, List.of()));
        await("the ninth to run", () -> store.row(ninth).state == ExecutionState.RUNNING);
        runner.poll();
        assertThat(first.get(1).delivered()).hasSize(1);
    }

    @Test
    void memoryShortageLimitsRunsAndParksWaitingOnesSooner() {
        for (int place = 0; place < 7; place++) {
            running();
        }
        shortOfMemory.set(true);
        for (int i = 0; i < 4; i++) {
            runner.poll();
        }
        assertThat(sandbox.last().delivered()).containsExactly("park 1000");
        running();
        assertThat(runner.liveCount()).isEqualTo(8);
    }

    @Test
    void dueParkedExecutionIsResumedOnlyByANodeWithALease() {
        ExecutionId id = running();
        sandbox.last().listener.onEnded(new SessionResult.SessionParked(60_000, List.of()));
        awaitState(id, ExecutionState.WAITING);
        runner.stop();
        assertThat(sweeper().resumeDue(Duration.ofSeconds(1))).isEmpty();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.WAITING);
        runner.startAccepting("n.1");
        assertThat(sweeper().resumeDue(Duration.ofSeconds(1))).isEmpty();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void scriptThatParksDuringShutdownIsParked() {
        ExecutionId id = running();
        sandbox.obeysCancel = false;
        runner.close(1);
        sandbox.last().listener.onEnded(new SessionResult.SessionParked(60_000, List.of()));
        awaitState(id, ExecutionState.WAITING);
    }

    @Test
    void nodeThatLostAnExecutionWithdrawsNoneOfItsCalls() {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        store.recover(id);
        store.claim(id, "other.1");
        sandbox.last().listener.onEnded(lost(false));
        await("its place to be free", () -> runner.freeSlots() == 8);
        assertThat(bridge.cancelled()).isEmpty();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
    }

    @Test
    void waitBeyondTheMaximumTimesOut() {
        ExecutionId id = running();
        sandbox.last()
                .listener
                .onEnded(new SessionResult.SessionParked(Duration.ofDays(31).toMillis(), List.of()));
        awaitState(id, ExecutionState.TIMED_OUT);
    }

    @Test
    void scriptCancelledWhileParkingIsCancelled() {
        ExecutionId id = running();
        store.cancel("t", id);
        sandbox.last().listener.onEnded(new SessionResult.SessionParked(60_000, List.of()));
        awaitState(id, ExecutionState.CANCELLED);
    }

    @Test
    void executionWithoutJournalIsNeverParkedAndFailsAtShutdown() {
        ExecutionId id = accepted(LIMITS, Durability.NONE);
        runner.run(id);
        assertThat(sandbox.last().request.parkAfterMillis()).isZero();
        sandbox.last().listener.onToolCall(1, "b", "read", "{}");
        runner.close(1);
        await("its end", () -> store.row(id).state == ExecutionState.FAILED);
    }

    @Test
    void shutdownReleasesRunningExecutionsAndAcceptsNoMore() throws InterruptedException {
        ExecutionId id = running();
        runner.close(1);
        await("the run to be given back", () -> store.row(id).state == ExecutionState.PENDING);
        ExecutionId late = accepted();
        Thread brought = new Thread(() -> runner.run(late));
        brought.start();
        await("whoever brought it to hold on to it", () -> brought.getState() == Thread.State.TIMED_WAITING);
        runner.releaseListeners();
        brought.join();
        assertThat(store.row(late).state).isEqualTo(ExecutionState.PENDING);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void outputDuringAShutdownIsStoredOnlyIfTheScriptEnds(boolean scriptEnds) {
        ExecutionId id = running();
        sandbox.obeysCancel = false;
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "before ");
        Thread closing = closing(1);
        sandbox.last().listener.onOutput(OutputStreamKind.OUT, "meanwhile");
        sandbox.last()
                .listener
                .onEnded(scriptEnds ? new SessionResult.ScriptReturned("1") : new SessionResult.SessionCancelled());
        awaitState(id, scriptEnds ? ExecutionState.COMPLETED : ExecutionState.PENDING);
        assertThat(store.row(id).out).hasToString(scriptEnds ? "before meanwhile" : "before ");
        await("the runner to be closed", () -> !closing.isAlive());
    }

    @Test
    void effectAnsweredAfterTheGracePeriodIsStoredBeforeTheRelease() throws InterruptedException {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        Thread closing = closing(4_000);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.RUNNING);
        isGivenBackAnswered(id, closing);
        assertThat(bridge.cancelled()).isEmpty();
    }

    /**
     * Closes the runner on a new thread. Returns when the grace period is over and the script was stopped; effects then
     * have the same time again to be answered.
     */
    private Thread closing(long graceMillis) {
        Thread closing = new Thread(() -> runner.close(graceMillis));
        closing.start();
        await("the script to be stopped", () -> sandbox.last().cancelled);
        return closing;
    }

    private void isGivenBackAnswered(ExecutionId id, Thread closing) throws InterruptedException {
        bridge.answer(0, "9007199254740993");
        closing.join();
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(store.row(id).trace)
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    TraceEvent.ToolEnded ended = (TraceEvent.ToolEnded) event;
                    assertThat(ended.call()).isEqualTo(1L);
                    assertThat(ended.result()).contains(new Json("\"9007199254740993\""));
                });
    }

    @Test
    void effectStillBeingStoredAtShutdownIsSentAndAnswered() throws InterruptedException {
        ExecutionId id = running();
        store.failNext(12); // Each failure delays the write by half a second.
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        Thread closing = closing(4_000);
        assertThat(bridge.sent()).as("it waits for the store").isZero();
        await("the call to be sent", () -> bridge.sent() == 1);
        isGivenBackAnswered(id, closing);
    }

    @Test
    void scriptThatParksForAnEffectDuringShutdownIsReleasedWithItsAnswer() throws InterruptedException {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);
        sandbox.obeysCancel = false;
        Thread closing = closing(4_000);
        sandbox.last().listener.onEnded(new SessionResult.SessionParked(60_000, List.of()));
        isGivenBackAnswered(id, closing);
    }

    @Test
    void effectUnansweredAtTheEndOfShutdownIsReleasedOpen() throws InterruptedException {
        ExecutionId id = running();
        sandbox.last().listener.onToolCall(1, "b", "effect", "{}");
        await("the call to be sent", () -> bridge.sent() == 1);

        runner.close(50);

        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(store.row(id).trace).noneMatch(TraceEvent.ToolEnded.class::isInstance);
    }

    private ExecutionSweeper sweeper() {
        MessageSender sender = new MessageSender() {
            @Override
            public void send(OutgoingMessage message) {}

            @Override
            public int countWaiting(String queue, int maxCount) {
                return 0;
            }

            @Override
            public void ping() {}
        };
        JobDispatcher dispatch = new JobDispatcher(sender, Thread::new, 0, 10, tenant -> 1);
        return new ExecutionSweeper(
                store,
                new OrphanRecovery(store, store, completions, 3),
                dispatch,
                runner,
                approvals,
                events,
                new RetentionTask((age, limit) -> false, Duration.ZERO, events, Duration.ofHours(1), System::nanoTime),
                Duration.ofSeconds(1));
    }
}
