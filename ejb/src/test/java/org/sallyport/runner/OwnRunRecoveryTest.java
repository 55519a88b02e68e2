package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;

class OwnRunRecoveryTest {
    private static final String SELF = "n.2.1";
    private static final ExecutionOutcome COMPLETED = new ExecutionOutcome.ExecutionCompleted(new Json("1"));

    private final InMemoryExecutionStore store = new InMemoryExecutionStore();
    private final OrphanRecovery orphans = new OrphanRecovery(store, store, new CompletionNotifier(), 3);
    private final Set<ExecutionId> running = new HashSet<>();
    private final OwnRunRecovery recovery = new OwnRunRecovery(store, orphans, running::contains);

    private FencingToken claimed(NewExecutionBuilder execution, String owner) {
        NewExecution built = execution.build();
        store.insert(built);
        return store.claim(built.id(), owner).orElseThrow().fence();
    }

    private ExecutionState state(FencingToken fence) {
        return store.row(fence.id()).state;
    }

    private void assertFailed(FencingToken fence, String code, String message) {
        assertThat(store.row(fence.id()).outcome)
                .isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
                    assertThat(failed.error().code()).isEqualTo(code);
                    assertThat(failed.error().message()).contains(message);
                });
    }

    @Test
    void executionThatNoNodeRunsIsRequeuedWithoutALoss() {
        FencingToken fence = claimed(anExecution(), SELF);

        recovery.recover(SELF);

        assertThat(state(fence)).isEqualTo(ExecutionState.PENDING);
        assertThat(store.row(fence.id()).losses).isZero();
        assertThat(store.readTrace(fence.id(), 0, 10))
                .singleElement()
                .isInstanceOfSatisfying(
                        TraceEvent.StateChanged.class,
                        change -> assertThat(change.state()).isEqualTo(ExecutionState.PENDING));
        assertThat(store.claim(fence.id(), SELF)).isPresent();
    }

    @Test
    void liveRunIsLeftAlone() {
        FencingToken fence = claimed(anExecution(), SELF);
        running.add(fence.id());

        recovery.recover(SELF);

        assertThat(state(fence)).isEqualTo(ExecutionState.RUNNING);
    }

    @Test
    void runThatEndsAfterTheStoreWasAskedKeepsItsOutcome() {
        FencingToken fence = claimed(anExecution(), SELF);
        OwnRunRecovery late = new OwnRunRecovery(store, orphans, id -> {
            store.finish(fence, COMPLETED, JournalBatch.NONE);
            return false;
        });

        late.recover(SELF);

        assertThat(state(fence)).isEqualTo(ExecutionState.COMPLETED);
    }

    @Test
    void completedScriptIsNotTimedOutByAnotherNode() {
        store.activeLeases.add("n.1.1");
        FencingToken fence = claimed(anExecution().wallMillis(1), "n.1.1");

        orphans.recoverOrphans(SELF);
        recovery.recover(SELF);

        assertThat(state(fence)).isEqualTo(ExecutionState.RUNNING);
        assertThat(store.finish(fence, COMPLETED, JournalBatch.NONE)).contains(ExecutionState.COMPLETED);
    }

    @Test
    void cancelledOneEnds() {
        FencingToken fence = claimed(anExecution(), SELF);
        store.cancel("tenant-a", fence.id());

        recovery.recover(SELF);

        assertThat(state(fence)).isEqualTo(ExecutionState.CANCELLED);
    }

    @Test
    void executionWithoutDurabilityFails() {
        FencingToken fence = claimed(anExecution().durability(Durability.NONE), SELF);

        recovery.recover(SELF);

        assertFailed(fence, "runner-lost", "durability none");
    }

    @Test
    void executionThatCannotStartFailsAfterThreeTries() {
        FencingToken fence = claimed(anExecution(), SELF);
        for (int requeue = 1; requeue <= 3; requeue++) {
            recovery.recover(SELF);
            assertThat(state(fence)).isEqualTo(ExecutionState.PENDING);
            assertThat(store.claim(fence.id(), SELF)).isPresent();
        }

        recovery.recover(SELF);

        assertFailed(fence, "internal-error", "claimed the script 4 times");
        assertThat(store.row(fence.id()).losses).isZero();
    }

    @Test
    void earlierRequeuesAreForgottenWhenTheExecutionHasRunForTenAttempts() {
        ExecutionId id = claimed(anExecution(), SELF).id();
        for (int requeue = 1; requeue <= 3; requeue++) {
            recovery.recover(SELF);
            assertThat(store.claim(id, SELF)).isPresent();
        }
        for (int attempt = 4; attempt < 14; attempt++) {
            assertThat(store.release(new FencingToken(id, attempt), JournalBatch.NONE))
                    .isEqualTo(ReleaseResult.RELEASED);
            assertThat(store.claim(id, SELF)).isPresent();
        }

        recovery.recover(SELF);

        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
    }
}
