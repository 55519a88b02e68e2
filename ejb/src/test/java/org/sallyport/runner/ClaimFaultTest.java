package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;

/** Faults at and after the claim of an execution, before its script starts. */
class ClaimFaultTest {
    private static final PinnedVariables VARIABLES = PinnedVariables.ofStored("0123456789abcdef:AAAA");

    /** How often the store is still unavailable when variables are read. */
    private final AtomicInteger variableOutages = new AtomicInteger();
    /** How often the start of an execution is still to fail. */
    private final AtomicInteger startFaults = new AtomicInteger();

    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> Policy.defaultPolicy(), new UnavailableVariables());

    /** Variables whose store is unavailable for {@link #variableOutages} reads. */
    private final class UnavailableVariables implements VariablePinner {
        @Override
        public PinResult pin(String tenant, List<String> names) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Json read(String tenant, PinnedVariables variables) {
            if (variableOutages.getAndDecrement() > 0) {
                throw new StoreUnavailableException("away, as the test says", new IllegalStateException());
            }
            return new Json("{\"REGION\":\"eu-1\"}");
        }
    }

    private boolean isFaultDue() {
        return startFaults.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    private ExecutionRunner nodeWithFaults() {
        return runs.newNode(8, claim -> {
            if (isFaultDue()) {
                throw new IllegalStateException("not to be started, as the test says");
            }
        });
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private void awaitCompletion(ExecutionRunner node, ExecutionId id) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60), () -> state(id).isTerminal() && node.freeSlots() == 8);
        assertThat(state(id)).isEqualTo(ExecutionState.COMPLETED);
    }

    @Test
    void claimWithALostAnswerIsAdopted() throws InterruptedException {
        ExecutionId id = runs.submit("return 1", Optional.empty());
        runs.store.loseAnswers(1);
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.store.row(id).attempt).isEqualTo(1);
    }

    @Test
    void executionWhoseStartFailsIsReleasedAndRunsLater() throws InterruptedException {
        ExecutionRunner node = nodeWithFaults();
        ExecutionId id = runs.submit("return 1", Optional.empty());
        startFaults.set(1);
        assertThatThrownBy(() -> node.run(id)).isInstanceOf(IllegalStateException.class);
        assertThat(state(id)).isEqualTo(ExecutionState.PENDING);
        assertThat(node.freeSlots()).isEqualTo(8);
        assertThat(node.isRunning(id)).isFalse();

        node.run(id);
        awaitCompletion(node, id);
        assertThat(runs.store.row(id).trace)
                .filteredOn(TraceEvent.StateChanged.class::isInstance)
                .extracting(event -> ((TraceEvent.StateChanged) event).state())
                .startsWith(ExecutionState.PENDING, ExecutionState.RUNNING);
    }

    @Test
    void errorAfterTheClaimReleasesTheExecution() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8, claim -> {
            if (isFaultDue()) {
                throw new NoClassDefFoundError("not to be loaded, as the test says");
            }
        });
        ExecutionId id = runs.submit("return 1", Optional.empty());
        startFaults.set(1);
        assertThatThrownBy(() -> node.run(id)).isInstanceOf(NoClassDefFoundError.class);
        assertThat(state(id)).isEqualTo(ExecutionState.PENDING);
        assertThat(node.freeSlots()).isEqualTo(8);

        node.run(id);
        awaitCompletion(node, id);
    }

    @Test
    void releaseAfterAFailedStartWaitsForTheStore() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8, claim -> {
            if (isFaultDue()) {
                runs.store.failNext(2);
                throw new IllegalStateException("not to be started, as the test says");
            }
        });
        ExecutionId id = runs.submit("return 1", Optional.empty());
        startFaults.set(1);
        assertThatThrownBy(() -> node.run(id)).isInstanceOf(IllegalStateException.class);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> state(id) == ExecutionState.PENDING);

        node.run(id);
        awaitCompletion(node, id);
    }

    @Test
    void executionThatCannotBeStartedFailsAtTheThirdAttempt() {
        ExecutionRunner node = nodeWithFaults();
        ExecutionId id = runs.submit("return 1", Optional.empty());
        startFaults.set(3);
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(state(id)).isEqualTo(ExecutionState.PENDING);
            assertThatThrownBy(() -> node.run(id)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(runs.store.row(id).outcome)
                .isInstanceOfSatisfying(
                        ExecutionOutcome.ExecutionFailed.class,
                        failed -> assertThat(failed.error().code()).isEqualTo("internal-error"));
        assertThat(node.freeSlots()).isEqualTo(8);
    }

    @Test
    void startWaitsForTheStoreOfTheVariables() throws InterruptedException {
        runs.variables = Optional.of(VARIABLES);
        ExecutionId id = runs.submit("return env.REGION", Optional.empty());
        variableOutages.set(2);
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.store.row(id).attempt).isEqualTo(1);
    }

    @Test
    void lostLeaseEndsTheWaitForTheStore() throws InterruptedException {
        runs.variables = Optional.of(VARIABLES);
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit("return env.REGION", Optional.empty());
        variableOutages.set(Integer.MAX_VALUE);
        Thread starting = new Thread(() -> node.run(id));
        starting.start();
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> variableOutages.get() < Integer.MAX_VALUE);

        node.stop();

        starting.join();
        assertThat(node.liveCount()).isZero();
        assertThat(node.freeSlots()).isEqualTo(8);
        assertThat(state(id)).as("it is an orphan").isEqualTo(ExecutionState.RUNNING);
        assertThat(runs.store.row(id).trace).isEmpty();
    }
}
