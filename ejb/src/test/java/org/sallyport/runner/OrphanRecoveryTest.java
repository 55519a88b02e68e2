package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;

class OrphanRecoveryTest {
    private static final String SELF = "n.2.1";

    private final InMemoryExecutionStore store = new InMemoryExecutionStore();
    private final CompletionNotifier completions = new CompletionNotifier();
    private final OrphanRecovery recovery = new OrphanRecovery(store, store, completions, 3);

    private ExecutionId accepted(NewExecutionBuilder execution) {
        NewExecution built = execution.build();
        store.insert(built);
        return built.id();
    }

    private ExecutionId lost(NewExecutionBuilder execution) {
        ExecutionId id = accepted(execution);
        store.claim(id, "n.1.1");
        return id;
    }

    private void assertFailed(ExecutionId id, String code, String message) {
        assertThat(store.row(id).state).isEqualTo(ExecutionState.FAILED);
        assertThat(store.row(id).outcome).isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
            assertThat(failed.error().code()).isEqualTo(code);
            assertThat(failed.error().message()).contains(message);
        });
    }

    @Test
    void executionOfALostNodeIsRequeued() {
        ExecutionId id = lost(anExecution());
        recovery.recoverOrphans(SELF);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(store.readTrace(id, 0, 10))
                .singleElement()
                .isInstanceOfSatisfying(
                        TraceEvent.StateChanged.class,
                        change -> assertThat(change.state()).isEqualTo(ExecutionState.PENDING));
        assertThat(store.claim(id, SELF)).isPresent();
    }

    @Test
    void executionWithAValidLeaseIsLeftAlone() {
        store.activeLeases.add("other.1.1");
        ExecutionId elsewhere = accepted(anExecution());
        store.claim(elsewhere, "other.1.1");
        ExecutionId here = accepted(anExecution());
        store.claim(here, SELF);
        recovery.recoverOrphans(SELF);
        assertThat(List.of(store.row(elsewhere).state, store.row(here).state)).containsOnly(ExecutionState.RUNNING);
    }

    private FencingToken claim(ExecutionId id, int run) {
        return store.claim(id, "n.1." + run).orElseThrow().fence();
    }

    @Test
    void lossAloneIsCounted() {
        ExecutionId id = accepted(anExecution());
        for (int run = 1; run <= 3; run++) {
            assertThat(store.markAlone(claim(id, run))).isTrue();
            recovery.recoverOrphans(SELF);
        }
        assertFailed(id, "runner-lost", "alone on a node that was lost, 3 times");
        assertThat(store.claim(id, SELF)).isEmpty();
    }

    @Test
    void lossInCompanyIsNotCounted() {
        ExecutionId id = accepted(anExecution());
        for (int run = 1; run <= 2; run++) {
            store.markAlone(claim(id, run));
            recovery.recoverOrphans(SELF);
        }
        for (int run = 3; run <= 10; run++) {
            store.markAlone(claim(id, run));
            store.unmarkAlone("n.1." + run);
            recovery.recoverOrphans(SELF);
        }
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        claim(id, 11);
        recovery.recoverOrphans(SELF);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
    }

    /** Returns an execution that has lost one node after it had written to its journal. */
    private ExecutionId lostWithJournal() {
        ExecutionId id = accepted(anExecution());
        FencingToken first = claim(id, 1);
        TraceEvent begun = new TraceEvent.StateChanged(1, Instant.EPOCH, ExecutionState.RUNNING, 1);
        assertThat(store.append(first, new JournalBatch(List.of(begun), List.of(), false)))
                .isTrue();
        recovery.recoverOrphans(SELF);
        return id;
    }

    @Test
    void executionThatKilledTwoReplaysFails() {
        ExecutionId id = lostWithJournal();
        for (int run = 2; run <= 3; run++) {
            assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
            store.markAlone(claim(id, run));
            recovery.recoverOrphans(SELF);
        }
        assertFailed(id, "replay-failed", "2 times in a row while it replayed its journal");
        assertThat(store.claim(id, SELF)).isEmpty();
    }

    @Test
    void lossAfterACompleteReplayIsNotCountedForTheReplay() {
        ExecutionId id = lostWithJournal();
        store.markAlone(claim(id, 2));
        recovery.recoverOrphans(SELF);
        FencingToken replayed = claim(id, 3);
        store.markAlone(replayed);
        store.markReplayed(replayed);
        recovery.recoverOrphans(SELF);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        store.markAlone(claim(id, 4));
        recovery.recoverOrphans(SELF);
        assertFailed(id, "runner-lost", "alone on a node that was lost, 3 times");
    }

    @Test
    void executionThatHasLostVeryManyNodesFails() {
        ExecutionId id = accepted(anExecution());
        for (int run = 1; run <= OrphanRecovery.MAX_LOSSES; run++) {
            assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
            claim(id, run);
            recovery.recoverOrphans(SELF);
        }
        assertFailed(id, "runner-lost", "100 times on a node that was lost");
    }

    @Test
    void executionWithoutDurabilityFailsWithItsNode() {
        ExecutionId id = lost(anExecution().durability(Durability.NONE));
        recovery.recoverOrphans(SELF);
        assertFailed(id, "runner-lost", "durability none");
    }

    @Test
    void cancelRequestWinsOverRecovery() {
        ExecutionId id = lost(anExecution());
        store.cancel("tenant-a", id);
        recovery.recoverOrphans(SELF);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.CANCELLED);
    }

    @Test
    void deadLetteredJobFailsItsExecutionWithTheReason() {
        DeadLetterHandler letters = new DeadLetterHandler(store, completions);
        ExecutionId known = accepted(anExecution());
        letters.recordFailure(known, new IllegalStateException("the disk is on fire"));
        letters.failExecution(new ExecutionJob(known, "tenant-a", 4, 0));
        assertFailed(known, "dead-letter", "the disk is on fire");
        ExecutionId unknown = accepted(anExecution());
        letters.failExecution(new ExecutionJob(unknown, "tenant-a", 4, 0));
        assertFailed(unknown, "dead-letter", "logs");
        ExecutionId taken = lost(anExecution());
        letters.failExecution(new ExecutionJob(taken, "tenant-a", 4, 0));
        assertThat(store.row(taken).state).isEqualTo(ExecutionState.RUNNING);
    }
}
