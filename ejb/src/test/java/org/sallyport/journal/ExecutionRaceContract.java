package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.tool.Json;

/**
 * Races completion, cancel and timeout of one execution within ten milliseconds: one of them wins, and each caller
 * receives the true result. The property {@code races} sets the number of races on each database; the profile
 * {@code all} sets it to 5,000.
 */
public abstract class ExecutionRaceContract {
    private static final String TENANT = "tenant-a";
    private static final int RACE_COUNT = Integer.getInteger("races", 200);
    private static final int BATCH_SIZE = 100;
    private static final int THREADS = 10;
    private static final int WINDOW_MICROS = 10_000;
    /** One in this number of races starts before the execution is claimed. */
    private static final int UNCLAIMED_EVERY = 4;

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    /**
     * The results of the calls that race for one execution. A completion or timeout that loses the race returns empty.
     */
    private record ExecutionRace(
            ExecutionId id,
            ScheduledFuture<Optional<ExecutionState>> completion,
            ScheduledFuture<Optional<ExecutionState>> timeOut,
            ScheduledFuture<CancelResult> cancel) {}

    @Test
    void eachRaceOfEndCancelAndTimeoutHasOneWinnerThatAllCallersSee() throws Exception {
        long seed = Long.getLong("chaos.seed", System.nanoTime() & 0xffff_ffffL);
        System.out.println("races: seed " + seed);
        Random random = new Random(seed);
        Map<String, Integer> ends = new TreeMap<>();
        ScheduledExecutorService racers = Executors.newScheduledThreadPool(THREADS);
        try {
            for (int begun = 0; begun < RACE_COUNT; begun += BATCH_SIZE) {
                List<Callable<Optional<FencingToken>>> lines = new ArrayList<>();
                List<ExecutionId> ids = new ArrayList<>();
                for (int i = 0; i < BATCH_SIZE; i++) {
                    NewExecution execution = anExecution().build();
                    boolean claimed = i % UNCLAIMED_EVERY != 0;
                    ids.add(execution.id());
                    lines.add(() -> insertExecution(execution, claimed));
                }
                List<ExecutionRace> races = new ArrayList<>();
                var fences = racers.invokeAll(lines);
                for (int i = 0; i < BATCH_SIZE; i++) {
                    races.add(
                            startRace(racers, random, ids.get(i), fences.get(i).get()));
                }
                for (ExecutionRace race : races) {
                    ends.merge(assertOneWinner(race), 1, Integer::sum);
                }
            }
        } finally {
            racers.shutdownNow();
        }
        System.out.println("races: " + ends);
        assertThat(ends.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(RACE_COUNT);
    }

    private Optional<FencingToken> insertExecution(NewExecution execution, boolean claimed) {
        store().insert(execution);
        return claimed ? store().claim(execution.id(), "node.1").map(ClaimedExecution::fence) : Optional.empty();
    }

    private ExecutionRace startRace(
            ScheduledExecutorService racers, Random random, ExecutionId id, Optional<FencingToken> fence) {
        ExecutionOutcome done = new ExecutionOutcome.ExecutionCompleted(new Json("1"));
        ExecutionOutcome late =
                new ExecutionOutcome.ExecutionTimedOut(ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "late"));
        return new ExecutionRace(
                id,
                racers.schedule(
                        () -> fence.or(() -> store().claim(id, "node.1").map(ClaimedExecution::fence))
                                .flatMap(held -> journal().finish(held, done, JournalBatch.NONE)),
                        random.nextInt(WINDOW_MICROS),
                        TimeUnit.MICROSECONDS),
                // An execution that is not claimed cannot time out.
                racers.schedule(
                        () -> fence.flatMap(held -> journal().finish(held, late, JournalBatch.NONE)),
                        random.nextInt(WINDOW_MICROS),
                        TimeUnit.MICROSECONDS),
                racers.schedule(
                        () -> store().cancel(TENANT, id), random.nextInt(WINDOW_MICROS), TimeUnit.MICROSECONDS));
    }

    private String assertOneWinner(ExecutionRace race) throws Exception {
        Optional<ExecutionState> completion = race.completion().get(60, TimeUnit.SECONDS);
        Optional<ExecutionState> timeOut = race.timeOut().get(60, TimeUnit.SECONDS);
        CancelResult cancel = race.cancel().get(60, TimeUnit.SECONDS);
        Execution ended = store().find(TENANT, race.id()).orElseThrow();
        ExecutionState state = ended.state();
        String description =
                "completion " + completion + ", time-out " + timeOut + ", cancel " + cancel + ", is " + state;
        assertThat(state.isTerminal()).as(description).isTrue();
        if (cancel instanceof CancelResult.AlreadyTerminal refused) {
            assertThat(refused.state()).as(description).isEqualTo(state).isNotEqualTo(ExecutionState.CANCELLED);
        } else {
            assertThat(state).as(description).isEqualTo(ExecutionState.CANCELLED);
        }
        if (cancel instanceof CancelResult.CancelledImmediately) {
            assertThat(completion.or(() -> timeOut)).as(description).isEmpty();
        } else {
            assertThat(completion.isPresent() ^ timeOut.isPresent())
                    .as(description)
                    .isTrue();
            assertThat(completion.or(() -> timeOut)).as(description).contains(state);
        }
        assertThat(ended.result().isPresent()).as(description).isEqualTo(state == ExecutionState.COMPLETED);
        assertThat(journal().readTrace(race.id(), 0, 10))
                .as(description)
                .singleElement()
                .isInstanceOfSatisfying(
                        TraceEvent.StateChanged.class,
                        change -> assertThat(change.state()).isEqualTo(state));
        return cancel instanceof CancelResult.CancelledImmediately ? "CANCELLED before it ran" : state.name();
    }
}
