package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.submission.FakeInterfaces.fake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.tool.Json;

/** Submissions whose inserts the store does not answer. The tenant may have one execution. */
class SubmissionLostAnswerTest {
    private static final Caller CALLER = new Caller("key-1", "acme", Set.of(Role.SUBMITTER));
    private static final Submission SUBMISSION = new Submission(
            "return 1",
            ScriptLanguage.JAVASCRIPT,
            Json.EMPTY_OBJECT,
            Json.EMPTY_OBJECT,
            RequestedLimits.NONE,
            Optional.empty(),
            Map.of(),
            4,
            DebugMode.NONE,
            Durability.JOURNAL,
            Optional.empty(),
            Optional.empty());

    private final Deque<Function<ExecutionId, InsertResult>> answers = new ArrayDeque<>();
    private final List<ExecutionId> inserted = new ArrayList<>();
    private final SubmissionService service = SubmissionServiceFixture.create(
            fake(
                    Sandbox.class,
                    (self, method, arguments) -> CompletableFuture.completedFuture(
                            new ScriptCheckResult.ScriptAccepted(SourceLanguage.JAVASCRIPT, false))),
            fake(ExecutionStore.class, (self, method, arguments) -> insert((NewExecution) arguments[0])));

    private InsertResult insert(NewExecution execution) {
        inserted.add(execution.id());
        return answers.remove().apply(execution.id());
    }

    private static InsertResult fail(boolean maybeStored) {
        throw new StoreUnavailableException("no answer", new IllegalStateException(), maybeStored);
    }

    private SubmissionResult submit() {
        return service.submit(CALLER, SUBMISSION).toCompletableFuture().join();
    }

    @Test
    void insertWithoutAnAnswerIsRepeated() {
        answers.add(id -> fail(true));
        answers.add(InsertResult.ExecutionInserted::new);

        assertThat(submit()).isEqualTo(new SubmissionResult.SubmissionAccepted(inserted.get(0), false));
        assertThat(inserted).hasSize(2).containsOnly(inserted.get(0));
    }

    @Test
    void executionOfTwoUnansweredInsertsIsNamed() {
        answers.add(id -> fail(true));
        answers.add(id -> fail(false));

        assertThat(submit()).isEqualTo(new SubmissionResult.SubmissionOutcomeUnknown(inserted.get(0)));
        assertThat(inserted).hasSize(2);
    }

    @Test
    void unfinishedInsertOfTheSameKeyMayBeItsOwn() {
        answers.add(id -> fail(true));
        answers.add(id -> new InsertResult.ExecutionInsertInProgress());

        assertThat(submit()).isEqualTo(new SubmissionResult.SubmissionOutcomeUnknown(inserted.get(0)));
    }

    @Test
    void insertThatIsNotStoredIsNotRepeated() {
        answers.add(id -> fail(false));

        assertThatThrownBy(this::submit)
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.maybeStored()).isFalse());
        assertThat(inserted).hasSize(1);
    }
}
