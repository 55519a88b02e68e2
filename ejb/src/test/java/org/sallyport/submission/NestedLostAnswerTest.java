package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.submission.FakeInterfaces.fake;
import static org.sallyport.submission.FakeInterfaces.unused;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.configuration.Configuration;
import org.sallyport.connector.ManualScheduler;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NestedExecutionStore.NestResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ParentExecution;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.messaging.MessageSender;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;

/** Calls of a capability whose nested executions are inserted without an answer of the store. */
class NestedLostAnswerTest {
    private static final long RETRY_MILLIS = 500;
    private static final String NAME = "fees";
    private static final SemanticVersion VERSION = new SemanticVersion(1, 0, 0, List.of());

    private final ManualScheduler time = new ManualScheduler();
    private final ExecutionIdGenerator ids = new ExecutionIdGenerator(time, new Random());
    private final ExecutionId parent = ids.next();
    private final ToolCall call = new ToolCall(
            new CallId(parent.toString(), 1),
            "acme",
            new ToolName("capabilities", NAME),
            Json.EMPTY_OBJECT,
            time.instant().plusSeconds(60));
    private final Deque<Function<ExecutionId, NestResult>> answers = new ArrayDeque<>();
    private final List<ExecutionId> inserted = new ArrayList<>();
    private final List<ExecutionId> cancelled = new ArrayList<>();
    private Optional<ExecutionId> stored = Optional.empty();

    private final NestedExecutionStore nested =
            fake(NestedExecutionStore.class, (self, method, arguments) -> switch (method.getName()) {
                case "findChild" -> stored;
                case "parentFor" -> new ParentExecution(call.id(), parent, List.of(), 1);
                case "insertNested" -> insert(((NewExecution) arguments[0]).id());
                default -> throw new UnsupportedOperationException(method.getName());
            });
    private final ExecutionStore executions =
            fake(ExecutionStore.class, (self, method, arguments) -> switch (method.getName()) {
                case "findSubmission" -> Optional.of(caller());
                case "retainUnfinished" -> arguments[0];
                default -> throw new UnsupportedOperationException(method.getName());
            });
    private final CapabilityStore capabilities =
            fake(CapabilityStore.class, (self, method, arguments) -> switch (method.getName()) {
                case "listVersions" -> List.of(version());
                case "find" -> Optional.of(capability());
                default -> throw new UnsupportedOperationException(method.getName());
            });
    private final NestedExecutionService service = new NestedExecutionService(
            nested,
            executions,
            new NestedExecutionFactory(
                    Configuration.read(Map.of(), Map.of()),
                    new CapabilityResolver(capabilities),
                    unused(JsonSchemaValidator.class),
                    nested,
                    executions,
                    ids,
                    (script, grants) -> ScriptTier.SANDBOX,
                    new CapabilityPreparer(
                            CapabilitySandboxPolicy.WORKERS_ONLY,
                            (tenant, tools) -> List.of(),
                            fake(
                                    VariablePinner.class,
                                    (self, method, arguments) -> new PinResult.VariablesPinned(Optional.empty())))),
            new JobDispatcher(unused(MessageSender.class), Thread::new, 0, 1, tenant -> 1),
            new CompletionWaiter(executions, new CompletionNotifier(), time, Runnable::run),
            (tenant, id) -> cancelled.add(id));

    private NestResult insert(ExecutionId id) {
        inserted.add(id);
        return answers.remove().apply(id);
    }

    private static NestResult fail(boolean maybeStored) {
        throw new StoreUnavailableException("no answer", new IllegalStateException(), maybeStored);
    }

    private static CapabilityVersionSummary version() {
        return new CapabilityVersionSummary(
                VERSION, ScriptLanguage.JAVASCRIPT, "", "", List.of(), "key-1", Instant.EPOCH, false);
    }

    private static Capability capability() {
        CapabilityDefinition content = new CapabilityDefinition(
                ScriptLanguage.JAVASCRIPT,
                "return 1",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty());
        return new Capability(
                NAME,
                VERSION,
                content,
                content.hash(NAME, VERSION),
                Map.of(),
                "key-1",
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
    }

    private StoredSubmission caller() {
        ExecutionSummary summary = new ExecutionSummary(
                parent,
                "acme",
                "key-1",
                ExecutionState.RUNNING,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                "",
                4,
                1,
                Map.of(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return new StoredSubmission(
                summary,
                "return capabilities.fees()",
                Json.EMPTY_OBJECT,
                Json.EMPTY_OBJECT,
                new ExecutionLimits(1_000, 1_000, 1_000_000, 10, 1_000),
                List.of(),
                Optional.empty(),
                Durability.JOURNAL,
                EffectMode.REAL,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private CompletableFuture<ToolReply> send() {
        return service.send(call).toCompletableFuture();
    }

    /** Sends the call. Returns how many inserts the store had received each time the arguments were stored. */
    private List<Integer> insertsBeforeArgumentsAreStored() {
        List<Integer> inserts = new ArrayList<>();
        service.send(call, () -> inserts.add(inserted.size()));
        time.advance(2 * RETRY_MILLIS);
        return inserts;
    }

    private static void assertFailed(CompletableFuture<ToolReply> reply, ToolErrorCode code, int attempts) {
        assertThat(reply).isCompletedWithValueMatching(answer -> answer.attempts() == attempts);
        assertThat(reply.join().result())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(code));
    }

    @Test
    void sameExecutionIsInsertedUntilTheStoreAnswers() {
        answers.add(id -> fail(true));
        answers.add(id -> fail(false));
        answers.add(NestResult.NestedExecutionStored::new);

        CompletableFuture<ToolReply> reply = send();
        time.advance(2 * RETRY_MILLIS);

        assertThat(reply).isNotDone();
        assertThat(inserted).hasSize(3).containsOnly(inserted.get(0));
    }

    @Test
    void refusalAfterAnUnansweredInsertLeavesTheOutcomeUnknown() {
        answers.add(id -> fail(true));
        answers.add(id -> new NestResult.TooManyNestedExecutions());

        CompletableFuture<ToolReply> reply = send();
        time.advance(RETRY_MILLIS);

        assertFailed(reply, ToolErrorCode.OUTCOME_UNKNOWN, 1);
    }

    @Test
    void failureAfterAnUnansweredInsertLeavesTheOutcomeUnknown() {
        answers.add(id -> fail(true));
        answers.add(id -> {
            throw new IllegalStateException("no space");
        });

        CompletableFuture<ToolReply> reply = send();
        time.advance(RETRY_MILLIS);

        assertFailed(reply, ToolErrorCode.OUTCOME_UNKNOWN, 1);
    }

    @Test
    void refusalAfterAnInsertThatIsNotStoredMakesNoExecution() {
        answers.add(id -> fail(false));
        answers.add(id -> new NestResult.TooManyNestedExecutions());

        CompletableFuture<ToolReply> reply = send();
        time.advance(RETRY_MILLIS);

        assertFailed(reply, ToolErrorCode.CALL_LIMIT, 0);
    }

    @Test
    void executionThatIsStoredAfterTheCancellationOfItsCallIsCancelled() {
        answers.add(id -> fail(true));
        CompletableFuture<ToolReply> reply = send();
        service.cancel(call.id());
        assertFailed(reply, ToolErrorCode.CANCELLED, 1);
        assertThat(cancelled).isEmpty();

        stored = Optional.of(inserted.get(0));
        time.advance(RETRY_MILLIS);

        assertThat(cancelled).isEqualTo(inserted);
    }

    @Test
    void argumentsAreNeededUntilTheExecutionIsStored() {
        answers.add(id -> fail(true));
        answers.add(id -> fail(false));
        answers.add(NestResult.NestedExecutionStored::new);

        assertThat(insertsBeforeArgumentsAreStored()).containsExactly(3);
    }

    @Test
    void argumentsAreStoredByAnInsertThatWasNotAnswered() {
        answers.add(id -> fail(true));
        answers.add(NestResult.NestedExecutionExists::new);

        assertThat(insertsBeforeArgumentsAreStored()).containsExactly(2);
    }

    @Test
    void argumentsAreStoredByTheFirstInsert() {
        answers.add(NestResult.NestedExecutionStored::new);

        assertThat(insertsBeforeArgumentsAreStored()).containsExactly(1);
    }

    @Test
    void argumentsOfAnEarlierRunAreStored() {
        stored = Optional.of(ids.next());

        assertThat(insertsBeforeArgumentsAreStored()).containsExactly(0);
    }

    @Test
    void argumentsOfARefusedCallAreNotStored() {
        answers.add(id -> fail(true));
        answers.add(id -> new NestResult.TooManyNestedExecutions());

        assertThat(insertsBeforeArgumentsAreStored()).isEmpty();
    }
}
