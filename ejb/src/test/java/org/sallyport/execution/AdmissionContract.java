package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AdmissionConstraints.afterDelay;
import static org.sallyport.execution.AdmissionConstraints.notBefore;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;

/** Contract of every store for executions that do not start immediately. Each test starts with an empty store. */
public abstract class AdmissionContract {
    private static final String TENANT = "tenant-a";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final ExecutionIdGenerator IDS = new ExecutionIdGenerator(Instant::now, new Random());

    /** The store under test. A job that no node claims is overdue {@code firstCheck} after the store accepted it. */
    protected abstract ExecutionStore store(Duration firstCheck);

    /** Like {@link #store(Duration)}, with at most {@code mostOfKey} live executions for each concurrency key. */
    protected abstract ExecutionStore store(Duration firstCheck, int mostOfKey);

    /** Batches over the same data. */
    protected abstract BatchStore batches(Duration firstCheck);

    /** The journal over the same data. */
    protected abstract Journal journal();

    /** Counts over the same data. */
    protected abstract ExecutionCounts census();

    private ExecutionStore store() {
        return store(HOUR);
    }

    private static Instant inAnHour() {
        return Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MICROS);
    }

    private ExecutionId accepted(AdmissionConstraints admission) {
        NewExecution execution = anExecution().admission(admission).build();
        assertThat(store().insert(execution)).isEqualTo(new InsertResult.ExecutionInserted(execution.id()));
        return execution.id();
    }

    private Execution found(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow();
    }

    private List<ExecutionJob> awaitStarts() throws InterruptedException {
        List<ExecutionJob> jobs = new ArrayList<>();
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> jobs.addAll(store().dueStarts(10)));
        return jobs;
    }

    @Test
    void delayedExecutionIsNeitherClaimableNorDue() {
        Instant moment = inAnHour();
        NewExecution later = anExecution().admission(notBefore(moment)).build();
        store(Duration.ZERO).insert(later);

        assertThat(store().claim(later.id(), "node.1")).isEmpty();
        assertThat(store().dueStarts(10)).isEmpty();
        assertThat(store().overdueJobs(Duration.ZERO, 10)).isEmpty();
        assertThat(found(later.id()).state()).isEqualTo(ExecutionState.PENDING);
        assertThat(found(later.id()).admission().notBefore()).contains(moment);
        assertThat(found(accepted(AdmissionConstraints.NONE)).admission()).isEqualTo(AdmissionConstraints.NONE);
    }

    @Test
    void delayedJobIsReleasedOnceAtItsTime() throws Exception {
        ExecutionId first = accepted(afterDelay(Duration.ofMillis(300)));
        accepted(afterDelay(HOUR));

        assertThat(store().timeToNextResume(TIMEOUT))
                .hasValueSatisfying(wait -> assertThat(wait).isBetween(Duration.ZERO, Duration.ofMillis(300)));
        assertThat(awaitStarts()).containsExactly(new ExecutionJob(first, TENANT, 4, 0));
        assertThat(store().dueStarts(10)).isEmpty();
        assertThat(store().timeToNextResume(TIMEOUT)).isEmpty();
        ClaimedExecution claim = store().claim(first, "node.1").orElseThrow();
        assertThat(claim.remainingMillis()).as("counted from now").isGreaterThan(299_000);
        Execution running = found(first);
        assertThat(running.summary().startedAt().orElseThrow())
                .isAfterOrEqualTo(running.admission().notBefore().orElseThrow());
        assertThat(Duration.between(
                        running.summary().createdAt(),
                        running.admission().notBefore().orElseThrow()))
                .isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void pastStartTimeDoesNotDelay() {
        ExecutionId id = accepted(notBefore(Instant.now().minus(HOUR)));

        assertThat(store().dueStarts(10)).extracting(ExecutionJob::id).containsExactly(id);
        assertThat(store().claim(id, "node.1")).isPresent();
    }

    @Test
    void delayedExecutionHasNoBacklogAge() {
        accepted(notBefore(inAnHour()));
        assertThat(census().unfinishedCounts(Optional.of(TENANT)).counts())
                .containsExactly(new UnfinishedCounts.UnfinishedCount(ExecutionState.PENDING, 4, 1, Duration.ZERO));
        assertThat(census().countPending(TENANT)).isEqualTo(1);
    }

    @Test
    void lostJobBecomesOverdueAfterItsTime() throws Exception {
        NewExecution soon =
                anExecution().admission(afterDelay(Duration.ofMillis(50))).build();
        ExecutionStore impatient = store(Duration.ZERO);
        impatient.insert(soon);

        assertThat(awaitStarts()).hasSize(1);
        ConcurrencyTestUtil.awaitCondition(
                TIMEOUT,
                () -> impatient.overdueJobs(HOUR, 10).stream()
                        .anyMatch(job -> job.id().equals(soon.id())));
    }

    @Test
    void executionCancelledBeforeItsTimeNeverStarts() throws Exception {
        ExecutionId id = accepted(afterDelay(Duration.ofMillis(200)));

        assertThat(store().cancel(TENANT, id)).isEqualTo(new CancelResult.CancelledImmediately(false));
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> {
            assertThat(store().dueStarts(10)).isEmpty();
            return store().timeToNextResume(TIMEOUT).isEmpty();
        });
        assertThat(store().claim(id, "node.1")).isEmpty();
        assertThat(found(id).state()).isEqualTo(ExecutionState.CANCELLED);
    }

    @Test
    void deadlineEndsExecutionsThatAreNotRunning() throws Exception {
        Instant soon = Instant.now().plusMillis(1_000);
        ExecutionId pending = accepted(notBefore(Instant.now().plus(HOUR)).withDeadline(soon));
        ExecutionId parked = accepted(AdmissionConstraints.NONE.withDeadline(soon));
        ExecutionId patient = accepted(AdmissionConstraints.NONE.withDeadline(inAnHour()));
        ExecutionId ended = accepted(AdmissionConstraints.NONE.withDeadline(soon));
        ClaimedExecution claim = store().claim(parked, "node.1").orElseThrow();
        assertThat(claim.endsAtDeadline()).isTrue();
        assertThat(claim.remainingMillis()).isBetween(0L, 1_000L);
        assertThat(journal()
                        .park(
                                claim.fence(),
                                JournalBatch.NONE,
                                SuspendRequest.until(Suspension.SuspensionReason.TIMER, HOUR)))
                .isEqualTo(SuspendRequest.SuspendResult.PARKED);
        FencingToken quick = store().claim(ended, "node.1").orElseThrow().fence();
        journal().finish(quick, ExecutionStoreContract.completed("1"), JournalBatch.NONE);

        List<ExecutionId> late = new ArrayList<>();
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> {
            store().endPastDeadline(10, tool -> true).forEach(each -> late.add(each.id()));
            return late.size() >= 2;
        });

        assertThat(late).containsExactlyInAnyOrder(pending, parked);
        for (ExecutionId id : late) {
            Execution expired = found(id);
            assertThat(expired.state()).isEqualTo(ExecutionState.TIMED_OUT);
            assertThat(expired.error()).hasValueSatisfying(error -> {
                assertThat(error.code()).isEqualTo("wall-clock-limit");
                assertThat(error.message()).contains("deadline");
            });
            assertThat(expired.summary().finishedAt().orElseThrow())
                    .isAfterOrEqualTo(soon.truncatedTo(ChronoUnit.MICROS));
            assertThat(expired.suspension()).isEmpty();
            assertThat(journal().readTrace(id, 0, 10))
                    .last()
                    .isInstanceOfSatisfying(
                            TraceEvent.StateChanged.class,
                            event -> assertThat(event.state()).isEqualTo(ExecutionState.TIMED_OUT));
            assertThat(store().claim(id, "node.1")).isEmpty();
        }
        assertThat(found(ended).state()).isEqualTo(ExecutionState.COMPLETED);
        assertThat(found(patient).state()).isEqualTo(ExecutionState.PENDING);
        assertThat(found(patient).admission().deadline()).isPresent();
        assertThat(store().endPastDeadline(10, tool -> true)).isEmpty();
    }

    @Test
    void runnerEndsItsRunningExecutionAtTheDeadline() throws Exception {
        Instant soon = Instant.now().plusMillis(500);
        ExecutionId running = accepted(AdmissionConstraints.NONE.withDeadline(soon));
        ExecutionId brief = anExecution().build().id();
        NewExecution shorter = anExecution()
                .id(brief)
                .wallMillis(10)
                .admission(AdmissionConstraints.NONE.withDeadline(inAnHour()))
                .build();
        store().insert(shorter);
        ClaimedExecution claim = store().claim(running, "node.1").orElseThrow();
        assertThat(store().claim(brief, "node.1").orElseThrow().endsAtDeadline())
                .isFalse();

        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> Instant.now().isAfter(soon.plusMillis(200)));

        assertThat(store().endPastDeadline(10, tool -> true))
                .as("somebody has it in hands")
                .isEmpty();
        assertThat(store().requeue(claim.fence())).isTrue();
        assertThat(store().claim(running, "node.2")).as("it is too late").isEmpty();
        List<ExecutionStore.ExpiredExecution> late = new ArrayList<>();
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> late.addAll(store().endPastDeadline(10, tool -> true)));
        assertThat(late).containsExactly(new ExecutionStore.ExpiredExecution(running, false));
    }

    @Test
    void parkedTimeDoesNotExtendADeadline() throws Exception {
        Instant deadline = Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MICROS);
        NewExecution execution = anExecution()
                .wallMillis(HOUR.toMillis() * 2)
                .admission(AdmissionConstraints.NONE.withDeadline(deadline))
                .build();
        store().insert(execution);
        FencingToken fence =
                store().claim(execution.id(), "node.1").orElseThrow().fence();
        journal()
                .park(
                        fence,
                        JournalBatch.NONE,
                        SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofMillis(100)));
        ConcurrencyTestUtil.awaitCondition(
                TIMEOUT, () -> !store().resumeDue(10, HOUR).isEmpty());

        ClaimedExecution reclaimed = store().claim(execution.id(), "node.1").orElseThrow();

        assertThat(reclaimed.endsAtDeadline()).isTrue();
        assertThat(reclaimed.remainingMillis()).isLessThanOrEqualTo(HOUR.toMillis() - 100);
    }

    @Test
    void concurrentPollsStartEachExecutionOnce() throws Exception {
        for (int i = 0; i < 40; i++) {
            accepted(notBefore(Instant.now().minusSeconds(i)));
        }
        List<ExecutionJob> given = new ArrayList<>();
        ConcurrencyTestUtil.runConcurrently(8, n -> store().dueStarts(10)).forEach(given::addAll);
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> {
            given.addAll(store().dueStarts(10));
            return store().timeToNextResume(TIMEOUT).isEmpty();
        });

        assertThat(given).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void batchItemsWaitForTheirTimeAndTheirTurn() throws Exception {
        NewExecution now = anExecution().build();
        NewExecution soon =
                anExecution().admission(afterDelay(Duration.ofMillis(200))).build();
        NewExecution later = anExecution().admission(notBefore(inAnHour())).build();
        batches(HOUR).insert(batch(Optional.empty()), items(now, soon, later));
        assertThat(store().claim(now.id(), "node.1")).isPresent();
        assertThat(awaitStarts()).extracting(ExecutionJob::id).containsExactly(soon.id());
        assertThat(store().claim(later.id(), "node.1")).isEmpty();

        NewExecution one = anExecution()
                .admission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("printer")))
                .build();
        NewExecution two = anExecution()
                .admission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("printer")))
                .build();
        batches(HOUR).insert(batch(Optional.empty()), items(one, two));
        assertThat(store().claim(two.id(), "node.1")).isPresent();
        assertThat(store().claim(one.id(), "node.1")).isEmpty();

        NewExecution first = anExecution().build();
        NewExecution held =
                anExecution().admission(afterDelay(Duration.ofMillis(50))).build();
        NewBatch bounded = batch(Optional.of(1));
        batches(HOUR).insert(bounded, items(first, held));
        assertThat(batches(HOUR).admitNext(bounded.id()))
                .extracting(ExecutionJob::id)
                .containsExactly(first.id());
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> {
            assertThat(store().dueStarts(10)).as("its batch holds it").isEmpty();
            return store().timeToNextResume(TIMEOUT).isEmpty();
        });
        FencingToken fence = store().claim(first.id(), "node.1").orElseThrow().fence();
        journal().finish(fence, ExecutionStoreContract.completed("1"), JournalBatch.NONE);
        assertThat(batches(HOUR).admitNext(bounded.id()))
                .extracting(ExecutionJob::id)
                .containsExactly(held.id());
        assertThat(store().claim(held.id(), "node.1")).isPresent();
    }

    private ExecutionId keyed(String key, int priority) {
        return keyed(TENANT, key, priority);
    }

    private ExecutionId keyed(String tenant, String key, int priority) {
        NewExecution execution = anExecution()
                .tenant(tenant)
                .priority(priority)
                .admission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of(key)))
                .build();
        store().insert(execution);
        return execution.id();
    }

    private void end(ClaimedExecution claim) {
        assertThat(journal().finish(claim.fence(), ExecutionStoreContract.completed("1"), JournalBatch.NONE))
                .isPresent();
    }

    @Test
    void oneExecutionPerConcurrencyKeyIsLiveUntilItEnds() {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);
        ExecutionId urgent = keyed("printer", 9);
        ExecutionId other = keyed("scanner", 4);
        ExecutionId anothers = keyed("tenant-b", "printer", 4);
        ClaimedExecution claim = store().claim(first, "node.1").orElseThrow();

        assertThat(claim.concurrencyKey()).contains("printer");
        assertThat(found(first).admission().concurrencyKey()).contains("printer");
        assertThat(store().claim(second, "node.1")).isEmpty();
        assertThat(store().claim(urgent, "node.2")).isEmpty();
        assertThat(store().claim(other, "node.1")).isPresent();
        assertThat(store().claim(anothers, "node.1")).isPresent();
        assertThat(store().findTurnHolders(TENANT, second)).containsExactly(first);
        assertThat(store().findTurnHolders(TENANT, first)).isEmpty();
        assertThat(store().findTurnHolders("tenant-b", second)).isEmpty();
        assertThat(store().grantTurns(TENANT, "printer")).isEmpty();
        assertThat(store().grantTurns(10)).isEmpty();

        end(claim);

        assertThat(store().grantTurns(TENANT, "printer")).containsExactly(new ExecutionJob(urgent, TENANT, 9, 0));
        assertThat(store().grantTurns(10)).isEmpty();
        assertThat(store().claim(second, "node.1")).as("the turn is another's").isEmpty();
        ClaimedExecution next = store().claim(urgent, "node.1").orElseThrow();
        end(next);
        assertThat(store().grantTurns(10))
                .as("nobody has passed it on")
                .extracting(ExecutionJob::id)
                .containsExactly(second);
        assertThat(store().claim(second, "node.1")).isPresent();
    }

    @Test
    void duplicateJobsTakeOneTurn() throws Exception {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);

        List<Optional<ClaimedExecution>> claims =
                ConcurrencyTestUtil.runConcurrently(8, number -> store().claim(first, "node." + number));

        assertThat(claims.stream().flatMap(Optional::stream)).hasSize(1);
        assertThat(store().claim(second, "node.0")).isEmpty();
        assertThat(store().grantTurns(10)).as("the turn is taken").isEmpty();
    }

    @Test
    void turnIsHeldUntilTheExecutionEnds() throws Exception {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);
        FencingToken fence = store().claim(first, "node.1").orElseThrow().fence();
        assertThat(store().claim(second, "node.1")).isEmpty();

        journal()
                .park(
                        fence,
                        JournalBatch.NONE,
                        SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofMillis(50)));
        assertThat(store().grantTurns(10)).as("it is parked").isEmpty();
        ConcurrencyTestUtil.awaitCondition(
                TIMEOUT, () -> !store().resumeDue(10, HOUR).isEmpty());
        assertThat(store().claim(second, "node.1")).as("the first is woken").isEmpty();
        ClaimedExecution reclaimed = store().claim(first, "node.2").orElseThrow();
        assertThat(reclaimed.concurrencyKey()).contains("printer");
        assertThat(store().requeue(reclaimed.fence())).as("its node is lost").isTrue();
        assertThat(store().grantTurns(10)).isEmpty();
        assertThat(store().claim(second, "node.1")).isEmpty();
        ClaimedExecution third = store().claim(first, "node.1").orElseThrow();
        end(third);

        assertThat(store().grantTurns(10)).extracting(ExecutionJob::id).containsExactly(second);
    }

    @Test
    void executionCancelledWhileWaitingLosesItsTurn() {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);
        ExecutionId third = keyed("printer", 4);
        ClaimedExecution claim = store().claim(first, "node.1").orElseThrow();
        assertThat(store().claim(second, "node.1")).isEmpty();
        assertThat(store().claim(third, "node.1")).isEmpty();
        assertThat(store().cancel(TENANT, second)).isEqualTo(new CancelResult.CancelledImmediately(false));
        end(claim);

        assertThat(store().grantTurns(TENANT, "printer"))
                .extracting(ExecutionJob::id)
                .containsExactly(third);
        assertThat(store().cancel(TENANT, third)).isEqualTo(new CancelResult.CancelledImmediately(false));
        ExecutionId fourth = keyed("printer", 4);
        assertThat(store().claim(fourth, "node.1"))
                .as("who had the turn never took it")
                .isPresent();
    }

    @Test
    void concurrencyKeyAllowsItsMaximumUnderConcurrentClaims() throws Exception {
        ExecutionStore three = store(HOUR, 3);
        List<ExecutionId> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.add(keyed("printer", 4));
        }
        List<ClaimedExecution> live = new ArrayList<>();
        ConcurrencyTestUtil.runConcurrently(12, n -> three.claim(all.get(n), "node." + n))
                .forEach(claim -> claim.ifPresent(live::add));
        int ended = 0;
        while (ended < 12) {
            assertThat(live).hasSizeBetween(1, 3);
            List<ClaimedExecution> finished = List.copyOf(live);
            live.clear();
            finished.forEach(this::end);
            ended += finished.size();
            List<ExecutionJob> jobs = new ArrayList<>();
            ConcurrencyTestUtil.runConcurrently(4, n -> three.grantTurns(TENANT, "printer"))
                    .forEach(jobs::addAll);
            assertThat(jobs).doesNotHaveDuplicates().hasSize(Math.min(3, 12 - ended));
            ConcurrencyTestUtil.runConcurrently(
                            Math.max(1, jobs.size()),
                            n -> n < jobs.size()
                                    ? three.claim(jobs.get(n).id(), "node.1")
                                    : Optional.<ClaimedExecution>empty())
                    .forEach(claim -> claim.ifPresent(live::add));
        }
        assertThat(three.grantTurns(10)).isEmpty();
    }

    @Test
    void executionWaitingForItsTurnIsNotOverdue() {
        ExecutionStore impatient = store(Duration.ZERO);
        ExecutionId first = keyed("printer", 4);
        NewExecution second = anExecution()
                .admission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("printer")))
                .build();
        impatient.insert(second);
        assertThat(store().claim(first, "node.1")).isPresent();

        assertThat(impatient.overdueJobs(Duration.ZERO, 10))
                .extracting(ExecutionJob::id)
                .containsExactly(second.id());
        assertThat(store().claim(second.id(), "node.1")).isEmpty();
        assertThat(impatient.overdueJobs(Duration.ZERO, 10)).isEmpty();
    }

    private static NewBatch batch(Optional<Integer> maxParallel) {
        return new NewBatch(
                new BatchId(IDS.next().value()),
                TENANT,
                "key-1",
                maxParallel,
                BatchFailurePolicy.CONTINUE,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    private static Iterator<NewBatchItem> items(NewExecution... executions) {
        return Arrays.stream(executions)
                .<NewBatchItem>map(execution -> new NewBatchItem.AcceptedBatchItem(execution))
                .iterator();
    }
}
