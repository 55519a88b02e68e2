package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.AnExecution;
import org.sallyport.execution.Completions;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.PendingJob;
import org.sallyport.journal.TraceEvent;

class RecoveryTest {
    private static final String SELF = "n.2.1";

    private final MemoryStore store = new MemoryStore();
    private final Completions completions = new Completions();
    private final Recovery recovery = new Recovery(store, store, completions, 3);

    private ExecutionId accepted(AnExecution execution) {
        NewExecution built = execution.build();
        store.accept(built);
        return built.id();
    }

    private ExecutionId lost(AnExecution execution) {
        ExecutionId id = accepted(execution);
        store.claim(id, "n.1.1");
        return id;
    }

    private void assertFailed(ExecutionId id, String code, String message) {
        assertThat(store.row(id).state).isEqualTo(ExecutionState.FAILED);
        assertThat(store.row(id).outcome).isInstanceOfSatisfying(Outcome.Failed.class, failed -> {
            assertThat(failed.error().code()).isEqualTo(code);
            assertThat(failed.error().message()).contains(message);
        });
    }

    @Test
    void whatALostNodeRanGoesOn() {
        ExecutionId id = lost(anExecution());
        recovery.look(SELF);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.PENDING);
        assertThat(store.trace(id, 0, 10))
                .singleElement()
                .isInstanceOfSatisfying(
                        TraceEvent.StateChanged.class,
                        change -> assertThat(change.state()).isEqualTo(ExecutionState.PENDING));
        assertThat(store.claim(id, SELF)).isPresent();
    }

    @Test
    void whatRunsUnderALeaseIsLeftAlone() {
        store.leased.add("other.1.1");
        ExecutionId elsewhere = accepted(anExecution());
        store.claim(elsewhere, "other.1.1");
        ExecutionId here = accepted(anExecution());
        store.claim(here, SELF);
        recovery.look(SELF);
        assertThat(List.of(store.row(elsewhere).state, store.row(here).state)).containsOnly(ExecutionState.RUNNING);
    }

    @Test
    void whatItsNodesDieOfIsNotRunForEver() {
        ExecutionId id = accepted(anExecution());
        for (int run = 1; run <= 3; run++) {
            assertThat(store.claim(id, "n.1." + run)).isPresent();
            recovery.look(SELF);
        }
        assertFailed(id, "runner-lost", "3 times on a node that was lost");
        assertThat(store.claim(id, SELF)).isEmpty();
    }

    @Test
    void whatAskedForNoDurabilityIsLostWithItsNode() {
        ExecutionId id = lost(anExecution().durability(Durability.NONE));
        recovery.look(SELF);
        assertFailed(id, "runner-lost", "durability none");
    }

    @Test
    void aRequestToCancelWins() {
        ExecutionId id = lost(anExecution());
        store.cancel("tenant-a", id);
        recovery.look(SELF);
        assertThat(store.row(id).state).isEqualTo(ExecutionState.CANCELLED);
    }

    @Test
    void aJobThatWasGivenUpEndsItsExecutionWithTheReason() {
        DeadLetters letters = new DeadLetters(store, completions);
        ExecutionId known = accepted(anExecution());
        letters.failed(known, new IllegalStateException("the disk is on fire"));
        letters.end(new PendingJob(known, "tenant-a", 4, 0));
        assertFailed(known, "dead-letter", "the disk is on fire");
        ExecutionId unknown = accepted(anExecution());
        letters.end(new PendingJob(unknown, "tenant-a", 4, 0));
        assertFailed(unknown, "dead-letter", "logs");
        ExecutionId taken = lost(anExecution());
        letters.end(new PendingJob(taken, "tenant-a", 4, 0));
        assertThat(store.row(taken).state).isEqualTo(ExecutionState.RUNNING);
    }
}
