package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.Admission.after;
import static org.sallyport.execution.Admission.notBefore;
import static org.sallyport.execution.AnExecution.anExecution;

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
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewItem;
import org.sallyport.batch.OnFailure;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;

/** What every store must do for executions that do not begin at once. Each test finds the store empty. */
public abstract class AdmissionContract {
    private static final String TENANT = "tenant-a";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ExecutionIds IDS = new ExecutionIds(Instant::now, new Random());

    /** The store under test; a job that nobody takes is overdue {@code firstCheck} after it was accepted. */
    protected abstract ExecutionStore store(Duration firstCheck);

    /** As {@link #store(Duration)}, with room for so many live executions of one concurrency key. */
    protected abstract ExecutionStore store(Duration firstCheck, int mostOfKey);

    /** Batches over the same data. */
    protected abstract BatchStore batches(Duration firstCheck);

    /** The journal over the same data. */
    protected abstract Journal journal();

    /** Counts over the same data. */
    protected abstract Census census();

    private ExecutionStore store() {
        return store(HOUR);
    }

    private static Instant inAnHour() {
        return Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MICROS);
    }

    private ExecutionId accepted(Admission admission) {
        NewExecution execution = anExecution().admission(admission).build();
        assertThat(store().accept(execution)).isEqualTo(new Acceptance.Stored(execution.id()));
        return execution.id();
    }

    private Execution found(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow();
    }

    private List<PendingJob> awaitStarts() throws InterruptedException {
        List<PendingJob> jobs = new ArrayList<>();
        Together.await(PATIENCE, () -> jobs.addAll(store().starts(10)));
        return jobs;
    }

    @Test
    void whatIsNotToBeginYetIsNeitherTakenNorGivenOut() {
        Instant moment = inAnHour();
        NewExecution later = anExecution().admission(notBefore(moment)).build();
        store(Duration.ZERO).accept(later);

        assertThat(store().claim(later.id(), "node.1")).isEmpty();
        assertThat(store().starts(10)).isEmpty();
        assertThat(store().overdueJobs(Duration.ZERO, 10)).isEmpty();
        assertThat(found(later.id()).state()).isEqualTo(ExecutionState.PENDING);
        assertThat(found(later.id()).admission().notBefore()).contains(moment);
        assertThat(found(accepted(Admission.NONE)).admission()).isEqualTo(Admission.NONE);
    }

    @Test
    void itsJobIsGivenOutOnceWhenItsTimeHasCome() throws Exception {
        ExecutionId first = accepted(after(Duration.ofMillis(300)));
        accepted(after(HOUR));

        assertThat(store().nextWake(PATIENCE))
                .hasValueSatisfying(wait -> assertThat(wait).isBetween(Duration.ZERO, Duration.ofMillis(300)));
        assertThat(awaitStarts()).containsExactly(new PendingJob(first, TENANT, 4, 0));
        assertThat(store().starts(10)).isEmpty();
        assertThat(store().nextWake(PATIENCE)).isEmpty();
        Claim claim = store().claim(first, "node.1").orElseThrow();
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
    void aMomentThatHasPassedIsNoReasonToWait() {
        ExecutionId id = accepted(notBefore(Instant.now().minus(HOUR)));

        assertThat(store().starts(10)).extracting(PendingJob::id).containsExactly(id);
        assertThat(store().claim(id, "node.1")).isPresent();
    }

    @Test
    void whatIsToBeginLaterIsNoOldBacklog() {
        accepted(notBefore(inAnHour()));
        assertThat(census().backlog(Optional.of(TENANT)).rows())
                .containsExactly(new Backlog.Row(ExecutionState.PENDING, 4, 1, Duration.ZERO));
        assertThat(census().pending(TENANT)).isEqualTo(1);
    }

    @Test
    void aJobThatIsLostAfterItsTimeIsOverdue() throws Exception {
        NewExecution soon =
                anExecution().admission(after(Duration.ofMillis(50))).build();
        ExecutionStore impatient = store(Duration.ZERO);
        impatient.accept(soon);

        assertThat(awaitStarts()).hasSize(1);
        Together.await(
                PATIENCE,
                () -> impatient.overdueJobs(HOUR, 10).stream()
                        .anyMatch(job -> job.id().equals(soon.id())));
    }

    @Test
    void whatIsCancelledMeanwhileNeverBegins() throws Exception {
        ExecutionId id = accepted(after(Duration.ofMillis(200)));

        assertThat(store().cancel(TENANT, id)).isEqualTo(new Cancellation.Done(false));
        Together.await(PATIENCE, () -> {
            assertThat(store().starts(10)).isEmpty();
            return store().nextWake(PATIENCE).isEmpty();
        });
        assertThat(store().claim(id, "node.1")).isEmpty();
        assertThat(found(id).state()).isEqualTo(ExecutionState.CANCELLED);
    }

    @Test
    void aDeadlineEndsWhatNobodyRuns() throws Exception {
        Instant soon = Instant.now().plusMillis(1_000);
        ExecutionId pending = accepted(notBefore(Instant.now().plus(HOUR)).until(soon));
        ExecutionId parked = accepted(Admission.NONE.until(soon));
        ExecutionId patient = accepted(Admission.NONE.until(inAnHour()));
        ExecutionId ended = accepted(Admission.NONE.until(soon));
        Claim claim = store().claim(parked, "node.1").orElseThrow();
        assertThat(claim.byDeadline()).isTrue();
        assertThat(claim.remainingMillis()).isBetween(0L, 1_000L);
        assertThat(journal().park(claim.fence(), Entries.NONE, Parking.until(Pause.Reason.TIMER, HOUR)))
                .isEqualTo(Parking.Answer.PARKED);
        Fence quick = store().claim(ended, "node.1").orElseThrow().fence();
        journal().finish(quick, ExecutionStoreContract.completed("1"), Entries.NONE);

        List<ExecutionId> late = new ArrayList<>();
        Together.await(PATIENCE, () -> {
            store().endLate(10, tool -> true).forEach(each -> late.add(each.id()));
            return late.size() >= 2;
        });

        assertThat(late).containsExactlyInAnyOrder(pending, parked);
        for (ExecutionId id : late) {
            Execution over = found(id);
            assertThat(over.state()).isEqualTo(ExecutionState.TIMED_OUT);
            assertThat(over.error()).hasValueSatisfying(error -> {
                assertThat(error.code()).isEqualTo("wall-clock-limit");
                assertThat(error.message()).contains("deadline");
            });
            assertThat(over.summary().finishedAt().orElseThrow()).isAfterOrEqualTo(soon.truncatedTo(ChronoUnit.MICROS));
            assertThat(over.pause()).isEmpty();
            assertThat(journal().trace(id, 0, 10))
                    .last()
                    .isInstanceOfSatisfying(
                            TraceEvent.StateChanged.class,
                            event -> assertThat(event.state()).isEqualTo(ExecutionState.TIMED_OUT));
            assertThat(store().claim(id, "node.1")).isEmpty();
        }
        assertThat(found(ended).state()).isEqualTo(ExecutionState.COMPLETED);
        assertThat(found(patient).state()).isEqualTo(ExecutionState.PENDING);
        assertThat(found(patient).admission().deadline()).isPresent();
        assertThat(store().endLate(10, tool -> true)).isEmpty();
    }

    @Test
    void aRunnerEndsWhatItRunsAtTheDeadline() throws Exception {
        Instant soon = Instant.now().plusMillis(500);
        ExecutionId running = accepted(Admission.NONE.until(soon));
        ExecutionId brief = anExecution().build().id();
        NewExecution shorter = anExecution()
                .id(brief)
                .wallMillis(10)
                .admission(Admission.NONE.until(inAnHour()))
                .build();
        store().accept(shorter);
        Claim claim = store().claim(running, "node.1").orElseThrow();
        assertThat(store().claim(brief, "node.1").orElseThrow().byDeadline()).isFalse();

        Together.await(PATIENCE, () -> Instant.now().isAfter(soon.plusMillis(200)));

        assertThat(store().endLate(10, tool -> true))
                .as("somebody has it in hands")
                .isEmpty();
        assertThat(store().overdueRuns(Duration.ZERO, 10)).contains(claim.fence());
        assertThat(store().requeue(claim.fence())).isTrue();
        assertThat(store().claim(running, "node.2")).as("it is too late").isEmpty();
        List<ExecutionStore.Late> late = new ArrayList<>();
        Together.await(PATIENCE, () -> late.addAll(store().endLate(10, tool -> true)));
        assertThat(late).containsExactly(new ExecutionStore.Late(running, false));
    }

    @Test
    void parkedTimeDoesNotMoveADeadline() throws Exception {
        Instant deadline = Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MICROS);
        NewExecution execution = anExecution()
                .wallMillis(HOUR.toMillis() * 2)
                .admission(Admission.NONE.until(deadline))
                .build();
        store().accept(execution);
        Fence fence = store().claim(execution.id(), "node.1").orElseThrow().fence();
        journal().park(fence, Entries.NONE, Parking.until(Pause.Reason.TIMER, Duration.ofMillis(100)));
        Together.await(PATIENCE, () -> !store().wake(10, HOUR).isEmpty());

        Claim again = store().claim(execution.id(), "node.1").orElseThrow();

        assertThat(again.byDeadline()).isTrue();
        assertThat(again.remainingMillis()).isLessThanOrEqualTo(HOUR.toMillis() - 100);
    }

    @Test
    void manyAskersBeginEachOnce() throws Exception {
        for (int i = 0; i < 40; i++) {
            accepted(notBefore(Instant.now().minusSeconds(i)));
        }
        List<PendingJob> given = new ArrayList<>();
        Together.run(8, n -> store().starts(10)).forEach(given::addAll);
        Together.await(PATIENCE, () -> {
            given.addAll(store().starts(10));
            return store().nextWake(PATIENCE).isEmpty();
        });

        assertThat(given).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void itemsOfABatchWaitForTheirTimesAndForTheirTurn() throws Exception {
        NewExecution now = anExecution().build();
        NewExecution soon =
                anExecution().admission(after(Duration.ofMillis(200))).build();
        NewExecution later = anExecution().admission(notBefore(inAnHour())).build();
        batches(HOUR).accept(batch(Optional.empty()), items(now, soon, later));
        assertThat(store().claim(now.id(), "node.1")).isPresent();
        assertThat(awaitStarts()).extracting(PendingJob::id).containsExactly(soon.id());
        assertThat(store().claim(later.id(), "node.1")).isEmpty();

        NewExecution one = anExecution()
                .admission(Admission.NONE.keyed(Optional.of("printer")))
                .build();
        NewExecution two = anExecution()
                .admission(Admission.NONE.keyed(Optional.of("printer")))
                .build();
        batches(HOUR).accept(batch(Optional.empty()), items(one, two));
        assertThat(store().claim(two.id(), "node.1")).isPresent();
        assertThat(store().claim(one.id(), "node.1")).isEmpty();

        NewExecution first = anExecution().build();
        NewExecution held =
                anExecution().admission(after(Duration.ofMillis(50))).build();
        NewBatch bounded = batch(Optional.of(1));
        batches(HOUR).accept(bounded, items(first, held));
        assertThat(batches(HOUR).advance(bounded.id()))
                .extracting(PendingJob::id)
                .containsExactly(first.id());
        Together.await(PATIENCE, () -> {
            assertThat(store().starts(10)).as("its batch holds it").isEmpty();
            return store().nextWake(PATIENCE).isEmpty();
        });
        Fence fence = store().claim(first.id(), "node.1").orElseThrow().fence();
        journal().finish(fence, ExecutionStoreContract.completed("1"), Entries.NONE);
        assertThat(batches(HOUR).advance(bounded.id()))
                .extracting(PendingJob::id)
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
                .admission(Admission.NONE.keyed(Optional.of(key)))
                .build();
        store().accept(execution);
        return execution.id();
    }

    private void end(Claim claim) {
        assertThat(journal().finish(claim.fence(), ExecutionStoreContract.completed("1"), Entries.NONE))
                .isPresent();
    }

    @Test
    void onlyOneOfAKeyIsLiveAndTheNextGoesWhenItHasEnded() {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);
        ExecutionId urgent = keyed("printer", 9);
        ExecutionId other = keyed("scanner", 4);
        ExecutionId anothers = keyed("tenant-b", "printer", 4);
        Claim claim = store().claim(first, "node.1").orElseThrow();

        assertThat(claim.concurrencyKey()).contains("printer");
        assertThat(found(first).admission().concurrencyKey()).contains("printer");
        assertThat(store().claim(second, "node.1")).isEmpty();
        assertThat(store().claim(urgent, "node.2")).isEmpty();
        assertThat(store().claim(other, "node.1")).isPresent();
        assertThat(store().claim(anothers, "node.1")).isPresent();
        assertThat(store().turnHolders(TENANT, second)).containsExactly(first);
        assertThat(store().turnHolders(TENANT, first)).isEmpty();
        assertThat(store().turnHolders("tenant-b", second)).isEmpty();
        assertThat(store().passTurns(TENANT, "printer")).isEmpty();
        assertThat(store().passTurns(10)).isEmpty();

        end(claim);

        assertThat(store().passTurns(TENANT, "printer")).containsExactly(new PendingJob(urgent, TENANT, 9, 0));
        assertThat(store().passTurns(10)).isEmpty();
        assertThat(store().claim(second, "node.1")).as("the turn is another's").isEmpty();
        Claim next = store().claim(urgent, "node.1").orElseThrow();
        end(next);
        assertThat(store().passTurns(10))
                .as("nobody has passed it on")
                .extracting(PendingJob::id)
                .containsExactly(second);
        assertThat(store().claim(second, "node.1")).isPresent();
    }

    @Test
    void aJobThatIsBroughtManyTimesTakesOneTurnAndKeepsIt() throws Exception {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);

        List<Optional<Claim>> claims = Together.run(8, number -> store().claim(first, "node." + number));

        assertThat(claims.stream().flatMap(Optional::stream)).hasSize(1);
        assertThat(store().claim(second, "node.0")).isEmpty();
        assertThat(store().passTurns(10)).as("the turn is taken").isEmpty();
    }

    @Test
    void whoHasATurnKeepsItUntilItHasEnded() throws Exception {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);
        Fence fence = store().claim(first, "node.1").orElseThrow().fence();
        assertThat(store().claim(second, "node.1")).isEmpty();

        journal().park(fence, Entries.NONE, Parking.until(Pause.Reason.TIMER, Duration.ofMillis(50)));
        assertThat(store().passTurns(10)).as("it is parked").isEmpty();
        Together.await(PATIENCE, () -> !store().wake(10, HOUR).isEmpty());
        assertThat(store().claim(second, "node.1")).as("the first is woken").isEmpty();
        Claim again = store().claim(first, "node.2").orElseThrow();
        assertThat(again.concurrencyKey()).contains("printer");
        assertThat(store().requeue(again.fence())).as("its node is lost").isTrue();
        assertThat(store().passTurns(10)).isEmpty();
        assertThat(store().claim(second, "node.1")).isEmpty();
        Claim third = store().claim(first, "node.1").orElseThrow();
        end(third);

        assertThat(store().passTurns(10)).extracting(PendingJob::id).containsExactly(second);
    }

    @Test
    void whoIsCancelledWhileItWaitsForItsTurnIsPassedOver() {
        ExecutionId first = keyed("printer", 4);
        ExecutionId second = keyed("printer", 4);
        ExecutionId third = keyed("printer", 4);
        Claim claim = store().claim(first, "node.1").orElseThrow();
        assertThat(store().claim(second, "node.1")).isEmpty();
        assertThat(store().claim(third, "node.1")).isEmpty();
        assertThat(store().cancel(TENANT, second)).isEqualTo(new Cancellation.Done(false));
        end(claim);

        assertThat(store().passTurns(TENANT, "printer"))
                .extracting(PendingJob::id)
                .containsExactly(third);
        assertThat(store().cancel(TENANT, third)).isEqualTo(new Cancellation.Done(false));
        ExecutionId fourth = keyed("printer", 4);
        assertThat(store().claim(fourth, "node.1"))
                .as("who had the turn never took it")
                .isPresent();
    }

    @Test
    void asManyOfAKeyAreLiveAsMayBeWhoeverAsks() throws Exception {
        ExecutionStore three = store(HOUR, 3);
        List<ExecutionId> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.add(keyed("printer", 4));
        }
        List<Claim> live = new ArrayList<>();
        Together.run(12, n -> three.claim(all.get(n), "node." + n)).forEach(claim -> claim.ifPresent(live::add));
        int ended = 0;
        while (ended < 12) {
            assertThat(live).hasSizeBetween(1, 3);
            List<Claim> over = List.copyOf(live);
            live.clear();
            over.forEach(this::end);
            ended += over.size();
            List<PendingJob> jobs = new ArrayList<>();
            Together.run(4, n -> three.passTurns(TENANT, "printer")).forEach(jobs::addAll);
            assertThat(jobs).doesNotHaveDuplicates().hasSize(Math.min(3, 12 - ended));
            Together.run(
                            Math.max(1, jobs.size()),
                            n -> n < jobs.size() ? three.claim(jobs.get(n).id(), "node.1") : Optional.<Claim>empty())
                    .forEach(claim -> claim.ifPresent(live::add));
        }
        assertThat(three.passTurns(10)).isEmpty();
    }

    @Test
    void whoWaitsForItsTurnIsNotSentForAgainAndAgain() {
        ExecutionStore impatient = store(Duration.ZERO);
        ExecutionId first = keyed("printer", 4);
        NewExecution second = anExecution()
                .admission(Admission.NONE.keyed(Optional.of("printer")))
                .build();
        impatient.accept(second);
        assertThat(store().claim(first, "node.1")).isPresent();

        assertThat(impatient.overdueJobs(Duration.ZERO, 10))
                .extracting(PendingJob::id)
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
                OnFailure.CONTINUE,
                Optional.empty(),
                Optional.empty());
    }

    private static Iterator<NewItem> items(NewExecution... executions) {
        return Arrays.stream(executions).<NewItem>map(NewItem.Runs::new).iterator();
    }
}
