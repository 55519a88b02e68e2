package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Extent;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Orphan;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.Submitted;
import org.sallyport.tool.ToolName;

/** Executions in the database. */
public final class JpaExecutionStore implements ExecutionStore {
    private final Database database;
    private final Acceptances acceptances;
    private final Turns turns;

    /** One of each concurrency key at a time. */
    public JpaExecutionStore(Database database, Duration firstCheck) {
        this(database, firstCheck, 1);
    }

    /**
     * @param firstCheck how long after its acceptance a job that nobody took counts as overdue
     * @param mostOfKey how many executions of a tenant with the same concurrency key are live at one time
     */
    public JpaExecutionStore(Database database, Duration firstCheck, int mostOfKey) {
        this.database = database;
        this.turns = new Turns(mostOfKey, firstCheck.toMillis());
        this.acceptances = new Acceptances(database, firstCheck);
    }

    /** How executions are written, for transactions that write more. */
    Acceptances acceptances() {
        return acceptances;
    }

    @Override
    public Acceptance accept(NewExecution execution) {
        return acceptances.accept(execution);
    }

    @Override
    public Optional<Acceptance> earlier(NewExecution execution) {
        return acceptances.earlier(execution);
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
                        .map(ExecutionQueries::found));
    }

    @Override
    public Optional<Extent> extent(String tenant, ExecutionId id) {
        return database.read(tenant, session -> ExecutionQueries.extent(session, tenant, id));
    }

    @Override
    public Optional<String> code(String tenant, ExecutionId id) {
        return database.read(
                tenant,
                session -> session.createQuery(ExecutionQueries.CODE, String.class)
                        .setParameter("id", id.value())
                        .setParameter("tenant", tenant)
                        .getResultStream()
                        .findFirst());
    }

    @Override
    public Optional<Submitted> submitted(String tenant, ExecutionId id) {
        return database.read(tenant, session -> ExecutionQueries.submitted(session, tenant, id));
    }

    @Override
    public ExecutionPage list(String tenant, ExecutionFilter filter, Optional<ExecutionId> before, int limit) {
        return database.read(tenant, session -> new ExecutionSearch(session, tenant, filter, limit).page(before));
    }

    @Override
    public String output(ExecutionId id, OutputKind kind, long offset, int limit) {
        return database.read(session -> Output.read(session, id, kind, offset, limit));
    }

    @Override
    public List<ExecutionId> live(List<ExecutionId> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        return database.read(session -> session.createQuery(ExecutionQueries.LIVE, UUID.class)
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
    public Optional<Claim> claim(ExecutionId id, String node) {
        Attempt attempt = database.writeShared(session -> {
            Optional<Claim> claim = ExecutionQueries.claim(session, id, node);
            return new Attempt(claim, claim.isPresent() ? Optional.empty() : Turns.awaited(session, id));
        });
        // Alone: who waits for others of its key must not hold up anybody else.
        return attempt.awaits().isPresent()
                ? database.write(
                        session -> turns.claim(session, attempt.awaits().get(), id, node))
                : attempt.claim();
    }

    /** What came of a claim, and the key whose turn kept it from more. */
    private record Attempt(Optional<Claim> claim, Optional<Turns.Key> awaits) {}

    @Override
    public List<PendingJob> passTurns(String tenant, String key) {
        Turns.Key stored = new Turns.Key(LosslessText.encode(tenant), LosslessText.encode(key));
        return database.write(session -> turns.pass(session, stored));
    }

    @Override
    public List<PendingJob> passTurns(int limit) {
        List<PendingJob> jobs = new ArrayList<>();
        for (Turns.Key key : database.read(session -> turns.idle(session, limit))) {
            try {
                jobs.addAll(database.write(session -> turns.pass(session, key)));
            } catch (RuntimeException e) {
                // Somebody gives turns of that key just now; the next look sees what is left.
                if (!SqlFailures.isContention(e)) {
                    throw e;
                }
            }
        }
        return jobs;
    }

    @Override
    public List<ExecutionId> turnHolders(String tenant, ExecutionId id) {
        return database.read(tenant, session -> turns.holders(session, tenant, id));
    }

    @Override
    public Cancellation cancel(String tenant, ExecutionId id, Predicate<ToolName> changes) {
        // Between two statements a runner may take it or let it go, so what was true of one need not be of the next.
        Cancellation answer = null;
        while (answer == null) {
            answer = database.write(tenant, session -> tryToCancel(session, tenant, id, changes));
        }
        return answer;
    }

    private static @Nullable Cancellation tryToCancel(
            EntityManager session, String tenant, ExecutionId id, Predicate<ToolName> changes) {
        if (update(session, ExecutionStatements.CANCEL_IDLE, tenant, id) == 1) {
            UnansweredCalls.end(session, id, changes, "was cancelled");
            session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                    .setParameter(1, id.value())
                    .executeUpdate();
            return new Cancellation.Done(ParkedWaits.forget(session, id.value()));
        }
        if (update(session, ExecutionStatements.REQUEST_CANCEL, tenant, id) == 1) {
            return new Cancellation.Requested();
        }
        Optional<ExecutionState> state = ExecutionQueries.state(session, tenant, id);
        if (state.isEmpty()) {
            return new Cancellation.NotFound();
        }
        return state.get().terminal() ? new Cancellation.AlreadyTerminal(state.get()) : null;
    }

    private static int update(EntityManager session, String statement, String tenant, ExecutionId id) {
        return session.createNamedQuery(statement)
                .setParameter(1, id.value())
                .setParameter(2, LosslessText.encode(tenant))
                .executeUpdate();
    }

    @Override
    public List<PendingJob> overdueJobs(Duration again, int limit) {
        return database.writeInTurn(session -> {
            List<PendingJob> jobs = new ArrayList<>();
            List<UUID> ids = new ArrayList<>();
            Instant next = Instant.MIN;
            String statement = database.skippingLocked(ExecutionStatements.OVERDUE_JOBS_SQL);
            List<Object[]> due = ExecutionQueries.rows(session.createNativeQuery(statement), again, limit);
            for (Object[] row : database.held(session, due)) {
                UUID id = (UUID) row[0];
                ids.add(id);
                jobs.add(new PendingJob(
                        new ExecutionId(id),
                        LosslessText.decode((String) row[1]),
                        ((Number) row[2]).intValue(),
                        ((Number) row[3]).intValue()));
                next = ExecutionQueries.instant(row[4]);
            }
            if (!ids.isEmpty()) {
                session.createQuery(ExecutionQueries.GIVE_OUT)
                        .setParameter("next", next)
                        .setParameter("ids", ids)
                        .setParameter("pending", ExecutionState.PENDING)
                        .executeUpdate();
            }
            return jobs;
        });
    }

    @Override
    public List<PendingJob> starts(int limit) {
        return database.writeInTurn(session -> Alarms.starts(session, database, limit));
    }

    @Override
    public List<Late> endLate(int limit, Predicate<ToolName> changes) {
        return database.writeInTurn(session -> Alarms.endLate(session, database, limit, changes));
    }

    @Override
    public List<Fence> overdueRuns(Duration grace, int limit) {
        return database.read(session ->
                ExecutionQueries.rows(session.createNamedQuery(ExecutionStatements.OVERDUE_RUNS), grace, limit).stream()
                        .map(ExecutionQueries::fence)
                        .toList());
    }

    @Override
    public List<Orphan> orphans(String self, int limit) {
        return database.read(session -> Orphans.find(session, self, limit));
    }

    @Override
    public List<PendingJob> wake(int limit, Duration alone) {
        return database.writeInTurn(session -> Orphans.wake(session, database, limit, alone));
    }

    @Override
    public boolean wake(Fence fence, Duration alone) {
        return database.write(session -> Orphans.wake(session, fence, alone, true));
    }

    @Override
    public int wakeLost(String self, int limit) {
        return database.write(session -> Orphans.wakeLost(session, self, limit));
    }

    @Override
    public Optional<Duration> nextWake(Duration within) {
        return database.read(session -> Orphans.nextWake(session, within));
    }

    @Override
    public boolean requeue(Fence fence) {
        return database.write(session -> Orphans.requeue(session, fence));
    }

    @Override
    public boolean failPending(Fence lastAttempt, ExecutionError error) {
        return database.write(session -> Orphans.failPending(session, lastAttempt, error));
    }

    @Override
    public List<ExecutionId> cancelRequests(String node) {
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
