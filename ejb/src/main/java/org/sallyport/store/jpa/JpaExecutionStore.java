package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.EraseResult;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionVersion;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.OrphanedExecution;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.OwnedRun;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.execution.UnknownWriteRepeater;
import org.sallyport.tool.ToolName;

/** Stores executions in the database. Thread-safe. */
public final class JpaExecutionStore implements ExecutionStore {
    private final Database database;
    private final SubmissionWriter submissionWriter;
    private final ConcurrencyKeyLimiter concurrencyLimiter;

    /** Creates a store with at most one live execution of a tenant per concurrency key. */
    public JpaExecutionStore(Database database, Duration firstCheck) {
        this(database, firstCheck, 1);
    }

    /**
     * @param firstCheck how long after its acceptance an unclaimed job counts as overdue
     * @param mostOfKey maximum number of live executions of a tenant with the same concurrency key
     */
    public JpaExecutionStore(Database database, Duration firstCheck, int mostOfKey) {
        this.database = database;
        this.concurrencyLimiter = new ConcurrencyKeyLimiter(mostOfKey, firstCheck.toMillis());
        this.submissionWriter = new SubmissionWriter(database, firstCheck);
    }

    /** Returns the writer of executions, for transactions that write more than an execution. */
    SubmissionWriter submissionWriter() {
        return submissionWriter;
    }

    @Override
    public InsertResult insert(NewExecution execution) {
        return submissionWriter.insert(execution);
    }

    @Override
    public Optional<InsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency) {
        return submissionWriter.findByIdempotencyKey(tenant, idempotency);
    }

    @Override
    public Optional<Execution> find(String tenant, ExecutionId id) {
        return database.read(
                tenant,
                session -> session.createQuery(ExecutionQueries.FIND, Object[].class)
                        .setParameter("id", id.value())
                        .setParameter("tenant", tenant)
                        .getResultStream()
                        .findFirst()
                        .map(ExecutionQueries::toExecution));
    }

    @Override
    public List<Execution> findAll(String tenant, List<ExecutionId> ids) {
        return database.read(
                tenant,
                session -> session.createQuery(ExecutionQueries.FIND_ALL, Object[].class)
                        .setParameter(
                                "ids", ids.stream().map(ExecutionId::value).toList())
                        .setParameter("tenant", tenant)
                        .getResultStream()
                        .map(ExecutionQueries::toExecution)
                        .toList());
    }

    @Override
    public Optional<ExecutionVersion> pollVersion(String tenant, ExecutionId id) {
        return database.read(tenant, session -> ExecutionQueries.pollVersion(session, tenant, id));
    }

    @Override
    public Optional<String> findCode(String tenant, ExecutionId id) {
        return database.read(
                tenant,
                session -> session.createQuery(ExecutionQueries.CODE, String.class)
                        .setParameter("id", id.value())
                        .setParameter("tenant", tenant)
                        .getResultStream()
                        .findFirst());
    }

    @Override
    public Optional<StoredSubmission> findSubmission(String tenant, ExecutionId id) {
        return database.read(tenant, session -> ExecutionQueries.findSubmission(session, tenant, id));
    }

    @Override
    public ExecutionPage list(String tenant, ExecutionFilter filter, Optional<ExecutionId> before, int limit) {
        return database.read(tenant, session -> new ExecutionSearch(session, tenant, filter, limit).page(before));
    }

    @Override
    public String readOutput(ExecutionId id, OutputKind kind, long offset, int limit) {
        return database.read(session -> OutputQueries.read(session, id, kind, offset, limit));
    }

    @Override
    public List<OutputChunk> readOutputInOrder(ExecutionId id, long outputOffset, long errorOffset, int limit) {
        return database.read(session -> OutputQueries.readInOrder(session, id, outputOffset, errorOffset, limit));
    }

    @Override
    public List<ExecutionId> retainUnfinished(List<ExecutionId> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        return database.read(session -> session.createQuery(ExecutionQueries.FIND_UNFINISHED, UUID.class)
                .setParameter("ids", ids.stream().map(ExecutionId::value).toList())
                .getResultStream()
                .map(ExecutionId::new)
                .toList());
    }

    @Override
    public Optional<Long> queuePosition(String tenant, ExecutionId id) {
        long upToIt = database.read(session -> session.createQuery(ExecutionQueries.QUEUE_POSITION, Long.class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .setParameter("pending", ExecutionState.PENDING)
                .getSingleResult());
        return upToIt == 0 ? Optional.empty() : Optional.of(upToIt);
    }

    @Override
    public Optional<ClaimedExecution> claim(ExecutionId id, String node) {
        ClaimAttempt attempt = database.writeInGroupCommit(0, session -> {
            Optional<ClaimedExecution> claim = ExecutionQueries.claim(session, id, node);
            return new ClaimAttempt(
                    claim, claim.isPresent() ? Optional.empty() : ConcurrencyKeyLimiter.findAwaitedKey(session, id));
        });
        // Not in a group commit: waiting for the lock of a concurrency key must not delay other writers.
        return attempt.awaitedKey().isPresent()
                ? database.write(session ->
                        concurrencyLimiter.claim(session, attempt.awaitedKey().get(), id, node))
                : attempt.claim();
    }

    @Override
    public Optional<ClaimedExecution> findClaim(ExecutionId id, String owner) {
        return database.read(session -> ExecutionQueries.findClaim(session, id, owner));
    }

    /** Result of a claim, and the concurrency key whose limit prevented it. */
    private record ClaimAttempt(
            Optional<ClaimedExecution> claim, Optional<ConcurrencyKeyLimiter.ConcurrencyKey> awaitedKey) {}

    @Override
    public List<ExecutionJob> grantTurns(String tenant, String key) {
        ConcurrencyKeyLimiter.ConcurrencyKey stored =
                new ConcurrencyKeyLimiter.ConcurrencyKey(LosslessText.encode(tenant), LosslessText.encode(key));
        return database.write(session -> concurrencyLimiter.grantTurns(session, stored));
    }

    @Override
    public List<ExecutionJob> grantTurns(int limit) {
        List<ExecutionJob> jobs = new ArrayList<>();
        for (ConcurrencyKeyLimiter.ConcurrencyKey key :
                database.read(session -> concurrencyLimiter.findGrantableKeys(session, limit))) {
            try {
                jobs.addAll(database.write(session -> concurrencyLimiter.grantTurns(session, key)));
            } catch (RuntimeException e) {
                // Another transaction is granting turns of this key; the next sweep grants the remaining ones.
                if (!SqlErrorClassifier.isContention(e)) {
                    throw e;
                }
            }
        }
        return jobs;
    }

    @Override
    public List<ExecutionId> findTurnHolders(String tenant, ExecutionId id) {
        return database.read(tenant, session -> concurrencyLimiter.findHolders(session, tenant, id));
    }

    @Override
    public CancelResult cancel(String tenant, ExecutionId id, CancelRequest request, Predicate<ToolName> changes) {
        return UnknownWriteRepeater.repeatIfUnknown(
                () -> cancel(tenant, id, request, changes, false), () -> cancel(tenant, id, request, changes, true));
    }

    private CancelResult cancel(
            String tenant, ExecutionId id, CancelRequest request, Predicate<ToolName> changes, boolean repeated) {
        // A runner may claim or release the execution between two statements, so that neither statement matches. Then
        // the loop tries again.
        CancelResult answer = null;
        while (answer == null) {
            answer = database.write(tenant, session -> tryToCancel(session, tenant, id, request, changes, repeated));
        }
        return answer;
    }

    /** @param repeated whether this request may be stored already */
    private static @Nullable CancelResult tryToCancel(
            EntityManager session,
            String tenant,
            ExecutionId id,
            CancelRequest request,
            Predicate<ToolName> changes,
            boolean repeated) {
        if (update(session, ExecutionStatements.CANCEL_IDLE, tenant, id, request) == 1) {
            OpenCallCloser.closeOpenCalls(session, id, changes, "was cancelled");
            session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                    .setParameter(1, id.value())
                    .executeUpdate();
            return new CancelResult.CancelledImmediately(WaitRegistrations.unregister(session, id.value()));
        }
        if (update(session, ExecutionStatements.REQUEST_CANCEL, tenant, id, request) == 1) {
            return new CancelResult.CancelRequested(false);
        }
        boolean own = repeated && ExecutionQueries.isCancelledBy(session, tenant, id, request);
        if (ExecutionQueries.isCancelRequested(session, tenant, id)) {
            return new CancelResult.CancelRequested(!own);
        }
        Optional<ExecutionState> state = ExecutionQueries.findState(session, tenant, id);
        if (state.isEmpty()) {
            return new CancelResult.CancelTargetNotFound();
        }
        if (own && state.get() == ExecutionState.CANCELLED) {
            // Whether it had open calls is unknown: the first write has ended them.
            return new CancelResult.CancelledImmediately(true);
        }
        return state.get().isTerminal() ? new CancelResult.AlreadyTerminal(state.get()) : null;
    }

    private static int update(
            EntityManager session, String statement, String tenant, ExecutionId id, CancelRequest request) {
        return session.createNamedQuery(statement)
                .setParameter(1, id.value())
                .setParameter(2, LosslessText.encode(tenant))
                .setParameter(3, LosslessText.encode(request.requestedBy().orElse("")))
                .setParameter(4, LosslessText.encode(request.reason().orElse("")))
                .executeUpdate();
    }

    @Override
    public EraseResult erase(String tenant, ExecutionId id) {
        return new ExecutionEraser(database).erase(tenant, id);
    }

    @Override
    public List<ExecutionJob> overdueJobs(Duration repeatInterval, int limit) {
        return database.writeSerially(session -> {
            List<ExecutionJob> jobs = new ArrayList<>();
            List<UUID> ids = new ArrayList<>();
            Instant next = Instant.MIN;
            String statement = database.withSkipLocked(ExecutionStatements.OVERDUE_JOBS_SQL);
            List<Object[]> due =
                    ExecutionQueries.resultRows(session.createNativeQuery(statement), repeatInterval, limit);
            for (Object[] row : database.lockAvailable(session, due)) {
                UUID id = (UUID) row[0];
                ids.add(id);
                jobs.add(new ExecutionJob(
                        new ExecutionId(id),
                        LosslessText.decode((String) row[1]),
                        ((Number) row[2]).intValue(),
                        ((Number) row[3]).intValue()));
                next = ExecutionQueries.toInstant(row[4]);
            }
            if (!ids.isEmpty()) {
                session.createQuery(ExecutionQueries.POSTPONE_CHECK)
                        .setParameter("next", next)
                        .setParameter("ids", ids)
                        .setParameter("pending", ExecutionState.PENDING)
                        .executeUpdate();
            }
            return jobs;
        });
    }

    @Override
    public List<ExecutionJob> dueStarts(int limit) {
        return database.writeSerially(session -> ExecutionAlarmQueries.takeDueStarts(session, database, limit));
    }

    @Override
    public List<ExpiredExecution> endPastDeadline(int limit, Predicate<ToolName> changes) {
        return database.writeSerially(
                session -> ExecutionAlarmQueries.endPastDeadline(session, database, limit, changes));
    }

    @Override
    public List<OrphanedExecution> findOrphans(String self, int limit) {
        return database.read(session -> OrphanQueries.find(session, self, limit));
    }

    @Override
    public List<ExecutionJob> resumeDue(int limit, Duration alone) {
        return database.writeSerially(session -> OrphanQueries.resume(session, database, limit, alone));
    }

    @Override
    public boolean resumeDue(FencingToken fence, Duration alone) {
        return database.write(session -> OrphanQueries.resume(session, fence, alone, true));
    }

    @Override
    public int resumeOrphanedWaits(String self, int limit) {
        return database.write(session -> OrphanQueries.resumeOrphanedWaits(session, self, limit));
    }

    @Override
    public Optional<Duration> timeToNextResume(Duration within) {
        return database.read(session -> OrphanQueries.timeToNextResume(session, within));
    }

    @Override
    public List<OwnedRun> findOwnedRuns(String owner) {
        return database.read(session -> ExecutionQueries.findOwnedRuns(session, owner));
    }

    @Override
    public boolean requeueOwn(FencingToken fence) {
        return database.write(session -> OrphanQueries.requeueOwn(session, fence));
    }

    @Override
    public boolean requeue(FencingToken fence) {
        return database.write(session -> OrphanQueries.requeue(session, fence));
    }

    @Override
    public boolean markAlone(FencingToken fence) {
        return database.write(session -> session.createNamedQuery(ExecutionStatements.MARK_ALONE)
                        .setParameter(1, fence.id().value())
                        .setParameter(2, fence.attempt())
                        .executeUpdate()
                == 1);
    }

    @Override
    public void unmarkAlone(String owner) {
        database.write(session -> session.createNamedQuery(ExecutionStatements.UNMARK_ALONE)
                .setParameter(1, owner)
                .executeUpdate());
    }

    @Override
    public void markReplayed(FencingToken fence) {
        database.write(session -> session.createNamedQuery(ExecutionStatements.MARK_REPLAYED)
                .setParameter(1, fence.id().value())
                .setParameter(2, fence.attempt())
                .executeUpdate());
    }

    @Override
    public boolean failPending(FencingToken lastAttempt, ExecutionError error) {
        return database.write(session -> OrphanQueries.failPending(session, lastAttempt, error));
    }

    @Override
    public List<ExecutionId> findCancelRequests(String node) {
        return database.read(session -> session.createQuery(ExecutionQueries.CANCEL_REQUESTS, UUID.class)
                .setParameter("running", ExecutionState.RUNNING)
                .setParameter("node", node)
                .getResultStream()
                .map(ExecutionId::new)
                .toList());
    }

    @Override
    public void ping() {
        database.ping();
    }
}
