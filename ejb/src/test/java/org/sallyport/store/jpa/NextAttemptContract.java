package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.callback.Callback;
import org.sallyport.callback.CallbackState;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EraseResult;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ErrorOrigin;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.RetryPolicy.RetryStatus;
import org.sallyport.execution.RetryPolicy.RetryStop;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.sandbox.HostServices;
import org.sallyport.submission.BatchScheduler;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** Contract of further attempts of failed executions. Each test starts with an empty database. */
abstract class NextAttemptContract {
    private static final String TENANT = "tenant-a";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final ToolName READ = new ToolName("demo", "read");
    private static final ToolName WRITE = new ToolName("demo", "write");
    private static final ToolName EMIT = new ToolName(HostServices.BACKEND, HostServices.EVENT_EMIT);
    private static final UUID APPROVAL = UUID.randomUUID();
    private static final Instant NOW = Instant.parse("2026-06-08T15:00:00Z");
    private static final RetryPolicy THREE_ATTEMPTS = policy(3, Duration.ofMillis(100), false);

    private static final MessageSender NO_BROKER = new MessageSender() {
        @Override
        public void send(OutgoingMessage message) {}

        @Override
        public int countWaiting(String queue, int maxCount) {
            return 0;
        }

        @Override
        public void ping() {}
    };

    abstract TestDatabase database();

    private static RetryPolicy policy(int attempts, Duration delay, boolean afterWrites) {
        return new RetryPolicy(attempts, delay, HOUR.plus(delay), RetryPolicy.defaultCodes(), afterWrites);
    }

    private ExecutionStore store() {
        return new JpaExecutionStore(database().database(), HOUR);
    }

    private Journal journal() {
        return journal(database().database());
    }

    private static Journal journal(Database database) {
        return new JpaJournal(
                database,
                10,
                new ExecutionIdGenerator(InstantSource.system(), new SecureRandom()),
                new SecureRandom(),
                tool -> !tool.equals(READ),
                Duration.ofSeconds(5));
    }

    private JpaBatchStore batches() {
        return new JpaBatchStore(database().database(), HOUR);
    }

    /** Fails an execution whose next attempt would be possible, on a database without space for new work. */
    RetryStatus failWithoutSpace(Database full) {
        ExecutionId id = accepted(retried(THREE_ATTEMPTS));
        journal(full).finish(claim(id), failure(ToolErrorCode.TIMEOUT), JournalBatch.NONE);
        assertThat(found(id).state()).isEqualTo(ExecutionState.FAILED);
        return status(id);
    }

    private static AdmissionConstraints retried(RetryPolicy policy) {
        return AdmissionConstraints.NONE.withRetry(Optional.of(policy));
    }

    private ExecutionId accepted(NewExecution execution) {
        store().insert(execution);
        return execution.id();
    }

    private ExecutionId accepted(AdmissionConstraints admission) {
        return accepted(anExecution().admission(admission).build());
    }

    private FencingToken claim(ExecutionId id) {
        return store().claim(id, "node.1").map(ClaimedExecution::fence).orElseThrow();
    }

    private Execution found(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow();
    }

    private RetryStatus status(ExecutionId id) {
        return found(id).retry().orElseThrow();
    }

    private static ExecutionOutcome failure(ToolErrorCode code) {
        return new ExecutionOutcome.ExecutionFailed(
                new ExecutionError(code.code(), ErrorOrigin.TOOL, "no", 0, 0, "", Optional.of("demo.write"), 1));
    }

    private ExecutionId fail(ExecutionId id, TraceEvent... events) {
        journal()
                .finish(
                        claim(id),
                        failure(ToolErrorCode.BACKEND_UNAVAILABLE),
                        new JournalBatch(List.of(events), List.of(), false));
        return id;
    }

    private static TraceEvent started(long seq, long call, ToolName tool) {
        return new TraceEvent.ToolStarted(seq, NOW, call, tool, Json.NULL);
    }

    private static TraceEvent ended(long seq, long call, ToolName tool, ToolErrorCode code, int attempts) {
        return new TraceEvent.ToolEnded(
                seq, NOW, call, tool, 5, 1, Optional.empty(), Optional.of(new ToolError(code, "no")), false, attempts);
    }

    private static TraceEvent succeeded(long seq, long call, ToolName tool) {
        return new TraceEvent.ToolEnded(seq, NOW, call, tool, 5, 1, Optional.of(Json.NULL), Optional.empty());
    }

    private static TraceEvent asked(long seq, long call, ToolName tool) {
        return new TraceEvent.ApprovalRequested(seq, NOW, call, tool, APPROVAL, ApprovalKind.CALL);
    }

    private static TraceEvent decided(long seq, long call, ToolName tool) {
        return new TraceEvent.ApprovalDecided(
                seq, NOW, call, tool, APPROVAL, ApprovalKind.CALL, ApprovalState.APPROVED, "ada", "", Optional.empty());
    }

    private List<ExecutionId> all() {
        return store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 100).items().stream()
                .map(each -> each.id())
                .toList();
    }

    private FencingToken awaitClaim(ExecutionId id) throws InterruptedException {
        List<FencingToken> claims = new ArrayList<>();
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> {
            store().claim(id, "node.1").ifPresent(claim -> claims.add(claim.fence()));
            return !claims.isEmpty();
        });
        return claims.get(0);
    }

    @Test
    void failedExecutionIsFollowedByADelayedAttemptWithTheSameInput() {
        RetryPolicy policy = policy(3, Duration.ofMinutes(10), false);
        ExecutionId first = fail(accepted(anExecution()
                .args("[1]")
                .labels(Map.of("team", "blue"))
                .intent("why")
                .priority(7)
                .admission(retried(policy))
                .build()));

        ExecutionId next = status(first).next().orElseThrow();
        Execution waiting = found(next);
        assertThat(found(first).state()).isEqualTo(ExecutionState.FAILED);
        assertThat(status(first))
                .isEqualTo(new RetryStatus(1, Optional.empty(), Optional.empty(), Optional.of(next), Optional.empty()));
        assertThat(status(next))
                .isEqualTo(
                        new RetryStatus(2, Optional.of(first), Optional.of(first), Optional.empty(), Optional.empty()));
        assertThat(waiting.state()).isEqualTo(ExecutionState.PENDING);
        assertThat(waiting.admission().retry()).contains(policy);
        assertThat(Duration.between(
                        waiting.summary().createdAt(),
                        waiting.admission().notBefore().orElseThrow()))
                .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
        assertThat(store().claim(next, "node.1")).as("before its time").isEmpty();
        StoredSubmission original = store().findSubmission(TENANT, first).orElseThrow();
        StoredSubmission copy = store().findSubmission(TENANT, next).orElseThrow();
        assertThat(copy).usingRecursiveComparison().ignoringFields("summary").isEqualTo(original);
        assertThat(copy.summary().labels()).isEqualTo(Map.of("team", "blue"));
        assertThat(copy.summary().priority()).isEqualTo(7);
        assertThat(copy.summary().submitter()).isEqualTo(original.summary().submitter());
        assertThat(all()).containsExactly(next, first);
    }

    @Test
    void attemptsEndAfterTheLastOne() throws Exception {
        ExecutionId first = fail(accepted(retried(THREE_ATTEMPTS)));
        ExecutionId second = status(first).next().orElseThrow();
        List<ExecutionJob> jobs = new ArrayList<>();
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> jobs.addAll(store().dueStarts(10)));
        assertThat(jobs).containsExactly(new ExecutionJob(second, TENANT, 4, 0));
        fail(second);
        ExecutionId third = status(second).next().orElseThrow();
        journal().finish(awaitClaim(third), failure(ToolErrorCode.TIMEOUT), JournalBatch.NONE);

        assertThat(status(third))
                .isEqualTo(new RetryStatus(
                        3, Optional.of(first), Optional.of(second), Optional.empty(), Optional.of(RetryStop.ATTEMPTS)));
        assertThat(all()).containsExactly(third, second, first);
    }

    /** A runner that receives no answer to its commit sends the end again. */
    @Test
    void repeatedEndMakesNoFurtherAttempt() {
        ExecutionId id = accepted(retried(THREE_ATTEMPTS));
        FencingToken fence = claim(id);
        ExecutionOutcome outcome = failure(ToolErrorCode.BACKEND_UNAVAILABLE);

        assertThat(journal().finish(fence, outcome, JournalBatch.NONE)).contains(ExecutionState.FAILED);
        assertThat(journal().finish(fence, outcome, JournalBatch.NONE)).isEmpty();

        assertThat(all()).hasSize(2);
    }

    @Test
    void onlyNamedErrorsAreRetried() {
        ExecutionId scriptError = accepted(retried(THREE_ATTEMPTS));
        journal()
                .finish(
                        claim(scriptError),
                        new ExecutionOutcome.ExecutionFailed(ExecutionError.of(ErrorCode.SCRIPT_ERROR, "no")),
                        JournalBatch.NONE);
        ExecutionId denied = accepted(retried(THREE_ATTEMPTS));
        journal().finish(claim(denied), failure(ToolErrorCode.DENIED), JournalBatch.NONE);
        ExecutionId timedOut =
                accepted(retried(new RetryPolicy(2, HOUR, HOUR, Set.of(ErrorCode.WALL_CLOCK_LIMIT.code()), false)));
        journal()
                .finish(
                        claim(timedOut),
                        new ExecutionOutcome.ExecutionTimedOut(ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "late")),
                        JournalBatch.NONE);

        assertThat(status(scriptError).stop()).contains(RetryStop.ERROR);
        assertThat(status(denied).stop()).contains(RetryStop.ERROR);
        assertThat(status(timedOut).next()).isPresent();
        assertThat(found(fail(accepted(AdmissionConstraints.NONE))).retry()).isEmpty();
    }

    @Test
    void completedAndCancelledExecutionsAreNotRetried() {
        ExecutionId completed = accepted(retried(THREE_ATTEMPTS));
        journal().finish(claim(completed), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
        ExecutionId cancelled = accepted(retried(THREE_ATTEMPTS));
        FencingToken fence = claim(cancelled);
        store().cancel(TENANT, cancelled);
        // The cancel request was stored before the failure, so it decides.
        assertThat(journal().finish(fence, failure(ToolErrorCode.TIMEOUT), JournalBatch.NONE))
                .contains(ExecutionState.CANCELLED);

        for (ExecutionId id : List.of(completed, cancelled)) {
            assertThat(status(id))
                    .isEqualTo(
                            new RetryStatus(1, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
        }
        assertThat(all()).hasSize(2);
    }

    /** An effect is never repeated unasked: a call counts unless the journal proves that it was not sent. */
    @Test
    void executionThatMayHaveWrittenIsRetriedOnlyOnRequest() {
        TraceEvent write = started(1, 1, WRITE);
        Map<String, List<TraceEvent>> unsent = Map.of(
                "only read",
                List.of(started(1, 1, READ)),
                "refused at the first attempt to send it",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.BACKEND_BUSY, 1)),
                "certainly not sent",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.BACKEND_UNAVAILABLE, 0)),
                "withdrawn without an effect",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.TIMEOUT, 0)),
                "answered by a policy",
                List.of(
                        write,
                        new TraceEvent.PolicyDecided(2, NOW, 1, WRITE, "rule", TraceEvent.PolicyDecided.MOCK),
                        succeeded(3, 1, WRITE)),
                "waits for its approval",
                List.of(write, asked(2, 1, WRITE)));
        unsent.forEach((name, events) -> assertThat(
                        status(fail(accepted(retried(THREE_ATTEMPTS)), events.toArray(TraceEvent[]::new)))
                                .next())
                .as(name)
                .isPresent());
        Map<String, List<TraceEvent>> maybeSent = Map.of(
                "made",
                List.of(write, succeeded(2, 1, WRITE)),
                "without an answer",
                List.of(write),
                "outcome unknown",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.OUTCOME_UNKNOWN, 1)),
                "not answered in time",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.TIMEOUT, 1)),
                "sent, and its answer was lost",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.BACKEND_UNAVAILABLE, 1)),
                "refused after its first answer was lost",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.BACKEND_BUSY, 2)),
                "cancelled after it was sent",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.CANCELLED, 1)),
                "an event whose commit was not answered",
                List.of(started(1, 1, EMIT), ended(2, 1, EMIT, ToolErrorCode.BACKEND_UNAVAILABLE, 1)),
                "approved",
                List.of(write, asked(2, 1, WRITE), decided(3, 1, WRITE)),
                "one of two calls was refused",
                List.of(write, ended(2, 1, WRITE, ToolErrorCode.BACKEND_BUSY, 1), started(3, 2, WRITE)));
        maybeSent.forEach((name, events) -> {
            assertThat(status(fail(accepted(retried(THREE_ATTEMPTS)), events.toArray(TraceEvent[]::new)))
                            .stop())
                    .as(name)
                    .contains(RetryStop.WRITES);
            assertThat(status(fail(accepted(retried(policy(2, HOUR, true))), events.toArray(TraceEvent[]::new)))
                            .next())
                    .as(name + ", and requested")
                    .isPresent();
        });
    }

    /** The earlier run may have sent the call that the later one refused. */
    @Test
    void refusedCallOfASecondRunCounts() {
        ExecutionId id = accepted(retried(THREE_ATTEMPTS));
        assertThat(journal().release(claim(id), new JournalBatch(List.of(started(1, 1, WRITE)), List.of(), false)))
                .isEqualTo(ReleaseResult.RELEASED);
        fail(id, ended(2, 1, WRITE, ToolErrorCode.BACKEND_BUSY, 1));

        assertThat(status(id).stop()).contains(RetryStop.WRITES);
    }

    /** Nothing was stored before the calls, so nothing shows them when another node ends the execution. */
    @Test
    void executionWithoutAJournalIsRetriedOnlyOnRequest() {
        NewExecution unknown = anExecution()
                .durability(Durability.NONE)
                .admission(retried(THREE_ATTEMPTS))
                .build();
        NewExecution requested = anExecution()
                .durability(Durability.NONE)
                .admission(retried(policy(2, HOUR, true)))
                .build();

        assertThat(status(fail(accepted(unknown))).stop()).contains(RetryStop.WRITES);
        assertThat(status(fail(accepted(requested))).next()).isPresent();
    }

    @Test
    void concurrentEndsMakeOneAttempt() {
        for (int round = 0; round < 10; round++) {
            int before = all().size();
            FencingToken fence = claim(accepted(retried(THREE_ATTEMPTS)));
            List<CompletableFuture<Optional<ExecutionState>>> ends = Stream.generate(() ->
                            CompletableFuture.supplyAsync(
                                    () -> journal().finish(fence, failure(ToolErrorCode.TIMEOUT), JournalBatch.NONE)))
                    .limit(4)
                    .toList();

            assertThat(ends.stream().map(CompletableFuture::join).flatMap(Optional::stream))
                    .containsExactly(ExecutionState.FAILED);
            assertThat(all()).hasSize(before + 2);
        }
    }

    @Test
    void failureIsStoredWithoutANextAttemptIfThatCannotBeStored() throws SQLException {
        ExecutionId id = accepted(retried(THREE_ATTEMPTS));
        FencingToken fence = claim(id);
        update("update execution set retry = 'damaged' where id = ?", id.value());

        assertThat(journal().finish(fence, failure(ToolErrorCode.TIMEOUT), JournalBatch.NONE))
                .contains(ExecutionState.FAILED);

        update("update execution set retry = ? where id = ?", THREE_ATTEMPTS.toStoredText(), id.value());
        assertThat(status(id).stop()).contains(RetryStop.STORAGE);
        assertThat(found(id).error().orElseThrow().code()).isEqualTo(ToolErrorCode.TIMEOUT.code());
        assertThat(all()).containsExactly(id);
    }

    /** Otherwise the deletion of the first attempt would let a repeated request run the script once more. */
    @Test
    void repeatedRequestFindsTheLastAttempt() {
        AdmissionConstraints admission = retried(THREE_ATTEMPTS);
        ExecutionId first = fail(accepted(
                anExecution().idempotency("key", "hash").admission(admission).build()));

        assertThat(store().insert(anExecution()
                        .idempotency("key", "hash")
                        .admission(admission)
                        .build()))
                .isEqualTo(new InsertResult.ExecutionAlreadyInserted(
                        status(first).next().orElseThrow()));
    }

    /** The caller knows only the first attempt, and can cancel the last one by it. */
    @Test
    void attemptsAreKeptWhileALaterOneIsLive() throws Exception {
        ExecutionId first = fail(accepted(retried(THREE_ATTEMPTS)));
        ExecutionId second = status(first).next().orElseThrow();
        journal().finish(awaitClaim(second), failure(ToolErrorCode.TIMEOUT), JournalBatch.NONE);
        ExecutionId third = status(second).next().orElseThrow();
        JpaExecutionPurger purger = new JpaExecutionPurger(database().database());

        assertThat(purger.purge(Duration.ZERO, 10)).isFalse();
        assertThat(store().erase(TENANT, first)).isEqualTo(new EraseResult.EraseBlocked(third, ExecutionState.PENDING));
        assertThat(store().erase(TENANT, second))
                .isEqualTo(new EraseResult.EraseBlocked(third, ExecutionState.PENDING));
        assertThat(all()).containsExactly(third, second, first);

        store().cancel(TENANT, third);
        assertThat(store().erase(TENANT, second)).isInstanceOf(EraseResult.ExecutionErased.class);
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> {
            purger.purge(Duration.ZERO, 10);
            return all().isEmpty();
        });
    }

    @Test
    void attemptThatWouldBeginAfterTheDeadlineIsNotMade() {
        AdmissionConstraints hourly = retried(policy(3, HOUR.multipliedBy(2), false));
        ExecutionId late = fail(accepted(hourly.withDeadline(Instant.now().plus(Duration.ofMinutes(50)))));
        ExecutionId inTime = fail(accepted(hourly.withDeadline(Instant.now().plus(Duration.ofDays(2)))));

        assertThat(status(late).stop()).contains(RetryStop.DEADLINE);
        assertThat(found(status(inTime).next().orElseThrow()).admission().deadline())
                .isEqualTo(found(inTime).admission().deadline())
                .isPresent();
    }

    @Test
    void nextAttemptWaitsForItsConcurrencyKey() throws Exception {
        AdmissionConstraints alone = retried(THREE_ATTEMPTS).withConcurrencyKey(Optional.of("printer"));
        ExecutionId failed = fail(accepted(alone));
        ExecutionId next = status(failed).next().orElseThrow();
        ExecutionId other = accepted(alone);
        FencingToken holder = claim(other);
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> !store().dueStarts(10).isEmpty());

        assertThat(store().claim(next, "node.1")).isEmpty();
        assertThat(store().findTurnHolders(TENANT, next)).containsExactly(other);
        journal().finish(holder, new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
        assertThat(store().grantTurns(TENANT, "printer"))
                .extracting(ExecutionJob::id)
                .containsExactly(next);
    }

    @Test
    void callbackMovesToTheNextAttempt() throws Exception {
        ExecutionId failed = fail(accepted(anExecution()
                .callback("https://example.org/done")
                .admission(retried(THREE_ATTEMPTS))
                .build()));
        JpaCallbackStore callbacks = new JpaCallbackStore(database().database());

        ExecutionId next = status(failed).next().orElseThrow();
        assertThat(callbacks.find(TENANT, failed)).isEmpty();
        callbacks.markEndedDue(10);
        assertThat(callbacks.find(TENANT, next).map(Callback::state)).contains(CallbackState.WAITING);

        journal().finish(awaitClaim(next), failure(ToolErrorCode.DENIED), JournalBatch.NONE);
        callbacks.requestCheck(next);
        callbacks.markEndedDue(10);
        assertThat(callbacks.find(TENANT, next).map(Callback::state)).contains(CallbackState.DUE);
    }

    private BatchId batchOf(int maxParallel, List<NewExecution> executions) {
        BatchId id = new BatchId(UUID.randomUUID());
        batches()
                .insert(
                        new NewBatch(
                                id,
                                TENANT,
                                "anna",
                                Optional.of(maxParallel),
                                BatchFailurePolicy.STOP,
                                Optional.empty(),
                                Optional.empty(),
                                List.of(),
                                Optional.empty()),
                        executions.stream()
                                .<NewBatchItem>map(each -> new NewBatchItem.AcceptedBatchItem(each, Optional.empty()))
                                .iterator());
        return id;
    }

    @Test
    void batchItemIsThatOfTheLastAttempt() throws Exception {
        List<NewExecution> executions = List.of(
                anExecution().admission(retried(THREE_ATTEMPTS)).build(),
                anExecution().build());
        BatchId batch = batchOf(1, executions);
        ExecutionId failed = executions.get(0).id();
        assertThat(batches().admitNext(batch)).extracting(ExecutionJob::id).containsExactly(failed);
        fail(failed);
        ExecutionId next = status(failed).next().orElseThrow();

        assertThat(batches().listItems(batch, -1, 10).stream().map(BatchItem::execution))
                .containsExactly(
                        Optional.of(next), Optional.of(executions.get(1).id()));
        assertThat(batches().findNextAttempt(failed)).contains(next);
        assertThat(batches().findNextAttempt(next)).isEmpty();
        assertThat(batches().admitNext(batch))
                .as("the item is still in progress")
                .isEmpty();
        assertThat(batches().countByState(batch)).isEqualTo(Map.of(ExecutionState.PENDING, 2));
        journal().finish(awaitClaim(next), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
        assertThat(batches().admitNext(batch))
                .extracting(ExecutionJob::id)
                .containsExactly(executions.get(1).id());
    }

    @Test
    void endOfTheLastAttemptStartsTheNextItem() throws Exception {
        List<NewExecution> executions = List.of(
                anExecution().admission(retried(THREE_ATTEMPTS)).build(),
                anExecution().build());
        BatchId batch = batchOf(1, executions);
        ExecutionId queued = executions.get(1).id();
        try (JobDispatcher dispatch = new JobDispatcher(NO_BROKER, Thread::new, 0, 10, tenant -> 1)) {
            BatchScheduler scheduler = new BatchScheduler(batches(), dispatch, Runnable::run);
            scheduler.poll();
            ExecutionId failed = fail(executions.get(0).id());
            scheduler.onExecutionEnded(failed);
            assertThat(batches().isQueued(batch, queued)).isTrue();

            ExecutionId next = status(failed).next().orElseThrow();
            journal().finish(awaitClaim(next), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
            scheduler.onExecutionEnded(next);
        }

        assertThat(batches().isQueued(batch, queued)).isFalse();
    }

    @Test
    void stoppedBatchIsNotRetried() {
        List<NewExecution> executions = List.of(
                anExecution().admission(retried(THREE_ATTEMPTS)).build(),
                anExecution().admission(retried(policy(2, HOUR, false))).build());
        BatchId batch = batchOf(2, executions);
        batches().admitNext(batch);
        ExecutionId delayed = status(fail(executions.get(1).id())).next().orElseThrow();
        FencingToken running = claim(executions.get(0).id());

        batches().cancelNotRunning(TENANT, batch, CancelRequest.ofService("enough"));
        journal().finish(running, failure(ToolErrorCode.BACKEND_UNAVAILABLE), JournalBatch.NONE);

        assertThat(status(running.id()).stop()).contains(RetryStop.BATCH);
        assertThat(found(delayed).state()).isEqualTo(ExecutionState.CANCELLED);
    }

    /** The transaction that stops a batch holds its row; the end of an item waits for it and sees the stop. */
    @Test
    void itemThatFailsWhileItsBatchIsStoppedIsNotRetried() throws Exception {
        List<NewExecution> executions =
                List.of(anExecution().admission(retried(THREE_ATTEMPTS)).build());
        BatchId batch = batchOf(1, executions);
        batches().admitNext(batch);
        FencingToken running = claim(executions.get(0).id());
        CompletableFuture<Optional<ExecutionState>> end;
        try (Connection connection = database().connect();
                PreparedStatement stop =
                        connection.prepareStatement("update batch set stop_reason = 'caller' where id = ?")) {
            connection.setAutoCommit(false);
            stop.setObject(1, batch.value());
            assertThat(stop.executeUpdate()).isOne();
            end = CompletableFuture.supplyAsync(
                    () -> journal().finish(running, failure(ToolErrorCode.BACKEND_UNAVAILABLE), JournalBatch.NONE));
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> end.get(300, TimeUnit.MILLISECONDS));
            connection.commit();
        }

        assertThat(end.join()).contains(ExecutionState.FAILED);
        assertThat(status(running.id()).stop()).contains(RetryStop.BATCH);
    }

    /** The transaction that stops the batch waits for the end of the item and then cancels the next attempt. */
    @Test
    void nextAttemptIsCancelledWithItsBatch() {
        for (int round = 0; round < 10; round++) {
            List<NewExecution> executions = List.of(
                    anExecution().admission(retried(policy(2, HOUR, false))).build());
            BatchId batch = batchOf(1, executions);
            batches().admitNext(batch);
            FencingToken running = claim(executions.get(0).id());
            CompletableFuture<Optional<ExecutionState>> end = CompletableFuture.supplyAsync(
                    () -> journal().finish(running, failure(ToolErrorCode.BACKEND_UNAVAILABLE), JournalBatch.NONE));
            CompletableFuture<List<ExecutionId>> left = CompletableFuture.supplyAsync(
                    () -> batches().cancelNotRunning(TENANT, batch, CancelRequest.ofService("enough")));
            left.join().forEach(each -> store().cancel(TENANT, each));

            ExecutionState state = end.join().orElseThrow();
            RetryStatus status = status(running.id());
            if (state == ExecutionState.FAILED && status.next().isPresent()) {
                assertThat(found(status.next().get()).state()).isEqualTo(ExecutionState.CANCELLED);
            } else if (state == ExecutionState.FAILED) {
                assertThat(status.stop()).contains(RetryStop.BATCH);
            }
            assertThat(batches().hasUnfinished(batch)).isFalse();
        }
    }

    @Test
    void delayedAttemptEndsWithItsBatchWhenTheNextRunOfTheScheduleIsDue() {
        List<NewExecution> executions =
                List.of(anExecution().admission(retried(policy(2, HOUR, false))).build());
        BatchId batch = batchOf(1, executions);
        batches().admitNext(batch);
        FencingToken running = claim(executions.get(0).id());
        journal().finish(running, failure(ToolErrorCode.BACKEND_UNAVAILABLE), JournalBatch.NONE);

        batches().stopForNextRun(TENANT, batch, CancelRequest.ofService("the next run is due"));

        ExecutionId next = status(running.id()).next().orElseThrow();
        assertThat(found(next).state()).isEqualTo(ExecutionState.CANCELLED);
        assertThat(batches().hasUnfinished(batch)).isFalse();
    }

    @Test
    void nextAttemptBelongsToTheRunOfTheSchedule() throws SQLException {
        ExecutionId id = accepted(retried(THREE_ATTEMPTS));
        UUID schedule = UUID.randomUUID();
        update("""
                insert into schedule (id, tenant, creator, owner, name, every_millis, on_overlap, catch_up, request,
                    paused, due_at, next_check_at, last_execution)
                values (?, 'tenant-a', 'anna', 'anna', 'hourly', 1000, 'SKIP', 'LAST', '{}', false, current_timestamp,
                    current_timestamp, ?)
                """, schedule, id.value());
        update(
                "insert into schedule_run (execution_id, schedule_id, active) values (?, ?, true)",
                id.value(),
                schedule);
        fail(id);
        UUID next = status(id).next().orElseThrow().value();

        assertThat(ids("select last_execution from schedule where id = ?", schedule))
                .containsExactly(next);
        assertThat(ids("select execution_id from schedule_run where schedule_id = ? and active = true", schedule))
                .containsExactlyInAnyOrder(id.value(), next);
    }

    @Test
    void endsThatNeverLeadToAnotherAttemptSayWhy() throws Exception {
        ExecutionId letter = accepted(retried(THREE_ATTEMPTS));
        store().failPending(new FencingToken(letter, 0), ExecutionError.of(ErrorCode.DEAD_LETTER, "no"));
        ExecutionId late =
                accepted(retried(THREE_ATTEMPTS).withDeadline(Instant.now().plusMillis(50)));
        ConcurrencyTestUtil.awaitCondition(
                TIMEOUT, () -> !store().endPastDeadline(10, tool -> true).isEmpty());

        assertThat(status(letter).stop()).contains(RetryStop.ERROR);
        assertThat(status(late).stop()).contains(RetryStop.DEADLINE);
    }

    /** A column that is forgotten would silently change what the next attempt runs. */
    @Test
    void everyColumnOfTheInputIsCopied() throws SQLException {
        Set<String> copied = new TreeSet<>(NextAttemptWriter.COPIED_INPUT_COLUMNS);
        copied.addAll(List.of("execution_id", "seed", "cached_from"));
        assertThat(columns("execution_input")).isEqualTo(copied);
        Set<String> execution = new TreeSet<>(NextAttemptWriter.COPIED_COLUMNS);
        execution.addAll(List.of(
                // Written for the new attempt.
                "id",
                "state",
                "retry_of",
                "retry_first",
                "retry_attempt",
                "awaits_turn",
                "not_before",
                "next_check_at",
                // The state of a run, which begins anew.
                "attempt",
                "node",
                "cancel_requested",
                "cancelled_by",
                "cancel_reason",
                "cancelled_at",
                "error_code",
                "last_seq",
                "out_length",
                "err_length",
                "journal_bytes",
                "truncated",
                "created_at",
                "started_at",
                "finished_at",
                "deadline_at",
                "blocked_attempts",
                "progress_permille",
                "progress_text",
                "node_losses",
                "node_losses_alone",
                "runs_alone",
                "replays_alone",
                "replay_losses",
                "waiting_for",
                "waiting_since",
                "cost",
                "retried_by",
                "not_retried",
                // A nested execution has no retry policy.
                "parent"));
        assertThat(columns("execution")).isEqualTo(execution);
    }

    private Set<String> columns(String table) throws SQLException {
        Set<String> columns = new TreeSet<>();
        try (Connection connection = database().connect();
                PreparedStatement query =
                        connection.prepareStatement("select column_name from information_schema.columns"
                                + " where lower(table_schema) = 'public' and lower(table_name) = ?")) {
            query.setString(1, table);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    columns.add(row.getString(1).toLowerCase(Locale.ROOT));
                }
            }
        }
        return columns;
    }

    private void update(String statement, Object... parameters) throws SQLException {
        try (Connection connection = database().connect();
                PreparedStatement update = connection.prepareStatement(statement)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setObject(i + 1, parameters[i]);
            }
            assertThat(update.executeUpdate()).isOne();
        }
    }

    private List<UUID> ids(String query, UUID parameter) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        try (Connection connection = database().connect();
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setObject(1, parameter);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getObject(1, UUID.class));
                }
            }
        }
        return ids;
    }
}
