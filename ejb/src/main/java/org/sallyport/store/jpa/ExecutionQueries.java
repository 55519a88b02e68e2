package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import jakarta.persistence.TypedQuery;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionVersion;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.OwnedRun;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.journal.StoredPosition;
import org.sallyport.tool.Json;

/** Queries that read executions, and the claim of a pending one. Stateless. */
final class ExecutionQueries {
    /**
     * Query hint: EclipseLink makes no copy of rows that are only read. Do not use it within a transaction, because
     * EclipseLink reads such rows on another connection.
     */
    private static final String READ_ONLY = "eclipselink.read-only";

    /** Reads all columns except the code, which may be a megabyte and is not needed here. */
    static final String FIND = """
            select e, i.args, i.grants, i.intent, i.cpuMillis, i.heapBytes, i.toolCalls, i.outputChars, o, i.effects, \
            i.callback, i.trace,
                i.script, i.cachedFrom, i.costLimit, i.furtherLimits
            from ExecutionEntity e join ExecutionInputEntity i on i.executionId = e.id left join \
            ExecutionOutcomeEntity o on o.executionId = e.id
            where e.id = :id and e.tenant = :tenant
            """;

    static final String FIND_ALL = FIND.replace("e.id = :id", "e.id in :ids");

    /** Finds an execution of any tenant, for work that the service does on its own behalf. */
    static final String FIND_ANY = FIND.replace(" and e.tenant = :tenant", "");

    static final String FIND_UNFINISHED =
            "select e.id from ExecutionEntity e where e.id in :ids and e.finishedAt is null";

    static final String CODE = """
            select i.code from ExecutionEntity e join ExecutionInputEntity i on i.executionId = e.id
            where e.id = :id and e.tenant = :tenant
            """;

    private static final String SUBMISSION = """
            select e, i from ExecutionEntity e join ExecutionInputEntity i on i.executionId = e.id
            where e.id = :id and e.tenant = :tenant
            """;

    private static final String INPUT = "select i from ExecutionInputEntity i where i.executionId = :id";

    /** Counts the tenant's pending executions up to and including this one; 0 if it is not pending. */
    static final String QUEUE_POSITION = """
            select count(o) from ExecutionEntity e, ExecutionEntity o
            where e.id = :id and e.tenant = :tenant and e.state = :pending and o.tenant = :tenant and o.state = :pending
                and (o.priority > e.priority or (o.priority = e.priority and o.id <= e.id))
            """;

    static final String POSTPONE_CHECK =
            "update ExecutionEntity e set e.nextCheckAt = :next where e.id in :ids and e.state = :pending";

    static final String CANCEL_REQUESTS =
            "select e.id from ExecutionEntity e where e.state = :running and e.node = :node and e.cancelRequested = "
                    + "true";

    private static final String CLAIMED = """
            select e, i, current_timestamp from ExecutionEntity e join ExecutionInputEntity i on i.executionId = e.id \
            where e.id = :id
            """;

    private static final String CLAIMED_BY = CLAIMED + " and e.node = :node and e.state = :running";

    private static final String OWNED_RUNS = """
            select e.id, e.attempt, e.durability, e.cancelRequested from ExecutionEntity e
            where e.state = :running and e.node = :node
            """;

    private static final String POSITION = """
            select e.state, e.attempt, e.lastSeq, e.outLength, e.errLength, e.cancelRequested from ExecutionEntity e
            where e.id = :id
            """;

    private static final String STATE = "select e.state from ExecutionEntity e where e.id = :id and e.tenant = :tenant";

    private static final String CANCEL_REQUESTED = """
            select e.cancelRequested from ExecutionEntity e
            where e.id = :id and e.tenant = :tenant and e.state = :running
            """;

    private static final String CANCEL_REQUEST = """
            select e.cancelledBy, e.cancelReason from ExecutionEntity e
            where e.id = :id and e.tenant = :tenant and e.cancelRequested = true
            """;

    private static final String POLL_VERSION = """
            select e.state, e.attempt, e.lastSeq, e.outLength, e.errLength from ExecutionEntity e
            where e.id = :id and e.tenant = :tenant
            """;
    /**
     * Orders by all columns of the index, from the first on. Otherwise H2 reads and sorts all executions of the tenant
     * for each page.
     */
    private static final String PAGE =
            "select e from ExecutionEntity e where e.tenant = :tenant and e.id < :end order by e.tenant, e.id desc";

    private static final String PAGE_OF_STATE = """
            select e from ExecutionEntity e where e.tenant = :tenant and e.state = :state and e.id < :end
            order by e.tenant, e.state, e.id desc
            """;

    private static final String BY_IDS = "select e from ExecutionEntity e where e.id in :ids order by e.id desc";

    private ExecutionQueries() {}

    static Execution toExecution(@Nullable Object[] columns) {
        ExecutionInputEntity input = new ExecutionInputEntity();
        input.args = (Json) columns[1];
        input.grants = (Json) columns[2];
        input.intent = (String) columns[3];
        input.cpuMillis = (Long) columns[4];
        input.heapBytes = (Long) columns[5];
        input.toolCalls = (Integer) columns[6];
        input.outputChars = (Integer) columns[7];
        input.effects = (Json) columns[9];
        input.callback = (String) columns[10];
        input.trace = (String) columns[11];
        input.script = (String) columns[12];
        input.cachedFrom = (String) columns[13];
        input.costLimit = (Long) columns[14];
        input.furtherLimits = (Json) columns[15];
        return ExecutionEntityMapper.toExecution(
                (ExecutionEntity) columns[0], input, (ExecutionOutcomeEntity) columns[8]);
    }

    /**
     * Claims a pending execution for {@code node}. Empty if it is not pending, may not start yet, is past its deadline,
     * or waits for its turn.
     */
    static Optional<ClaimedExecution> claim(EntityManager session, ExecutionId id, String node) {
        int taken = session.createNamedQuery(ExecutionStatements.CLAIM)
                .setParameter(1, id.value())
                .setParameter(2, node)
                .executeUpdate();
        return taken == 0 ? Optional.empty() : Optional.of(loadClaim(session, id));
    }

    private static ClaimedExecution loadClaim(EntityManager session, ExecutionId id) {
        return toClaimedExecution(session.createQuery(CLAIMED, Object[].class)
                .setParameter("id", id.value())
                .getSingleResult());
    }

    private static ClaimedExecution toClaimedExecution(Object[] columns) {
        return ExecutionEntityMapper.toClaimedExecution(
                (ExecutionEntity) columns[0], (ExecutionInputEntity) columns[1], toInstant(columns[2]));
    }

    /** Returns the claim of the execution if {@code owner} holds it. */
    static Optional<ClaimedExecution> findClaim(EntityManager session, ExecutionId id, String owner) {
        return session.createQuery(CLAIMED_BY, Object[].class)
                .setParameter("id", id.value())
                .setParameter("node", owner)
                .setParameter("running", ExecutionState.RUNNING)
                .getResultStream()
                .findFirst()
                .map(ExecutionQueries::toClaimedExecution);
    }

    /** Returns the running executions that {@code owner} holds. */
    static List<OwnedRun> findOwnedRuns(EntityManager session, String owner) {
        return session.createQuery(OWNED_RUNS, Object[].class)
                .setParameter("running", ExecutionState.RUNNING)
                .setParameter("node", owner)
                .getResultStream()
                .map(row -> new OwnedRun(toFencingToken(row), Durability.of((String) row[2]), (Boolean) row[3]))
                .toList();
    }

    static Optional<StoredPosition> findPosition(EntityManager session, ExecutionId id) {
        return session.createQuery(POSITION, Object[].class)
                .setParameter("id", id.value())
                .getResultStream()
                .findFirst()
                .map(row -> new StoredPosition(
                        (ExecutionState) row[0],
                        (Integer) row[1],
                        (Long) row[2],
                        (Long) row[3],
                        (Long) row[4],
                        (Boolean) row[5]));
    }

    static Optional<StoredSubmission> findSubmission(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(SUBMISSION, Object[].class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .findFirst()
                .map(columns -> ExecutionEntityMapper.toStoredSubmission(
                        (ExecutionEntity) columns[0], (ExecutionInputEntity) columns[1]));
    }

    /** Returns the seed of all randomness in the execution; empty if the execution does not exist. */
    static Optional<String> findSeed(EntityManager session, ExecutionId id) {
        return session.createQuery(INPUT, ExecutionInputEntity.class)
                .setParameter("id", id.value())
                .getResultStream()
                .findFirst()
                .map(ExecutionEntityMapper::seed);
    }

    /** Returns whether the execution is running and a request to cancel it is stored. */
    static boolean isCancelRequested(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(CANCEL_REQUESTED, Boolean.class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .setParameter("running", ExecutionState.RUNNING)
                .getResultStream()
                .anyMatch(Boolean.TRUE::equals);
    }

    /** Returns whether the request to cancel the execution that is stored has the same content as {@code request}. */
    static boolean isCancelledBy(EntityManager session, String tenant, ExecutionId id, CancelRequest request) {
        return session.createQuery(CANCEL_REQUEST, Object[].class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .anyMatch(row -> isSameText((String) row[0], request.requestedBy())
                        && isSameText((String) row[1], request.reason()));
    }

    private static boolean isSameText(@Nullable String stored, Optional<String> text) {
        return (stored == null ? "" : stored).equals(text.orElse(""));
    }

    static Optional<ExecutionState> findState(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(STATE, ExecutionState.class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .findFirst();
    }

    static Optional<ExecutionVersion> pollVersion(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(POLL_VERSION, Object[].class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .findFirst()
                .map(columns -> new ExecutionVersion(
                        (ExecutionState) columns[0], (Integer) columns[1], (Long) columns[2], (Long) columns[3], (Long)
                                columns[4]));
    }

    /**
     * Returns at most {@code limit} executions older than {@code end}, newest first; of all states if {@code state} is
     * null.
     */
    static Stream<ExecutionEntity> page(
            EntityManager session, String tenant, @Nullable ExecutionState state, UUID end, int limit) {
        TypedQuery<ExecutionEntity> query = session.createQuery(
                        state == null ? PAGE : PAGE_OF_STATE, ExecutionEntity.class)
                .setParameter("tenant", tenant)
                .setParameter("end", end)
                .setMaxResults(limit)
                .setHint(READ_ONLY, true);
        if (state != null) {
            query.setParameter("state", state);
        }
        return query.getResultStream();
    }

    /** Returns the executions with these ids that still exist, newest first. */
    static List<ExecutionEntity> findByIds(EntityManager session, List<UUID> ids) {
        return ids.isEmpty()
                ? List.of()
                : session.createQuery(BY_IDS, ExecutionEntity.class)
                        .setParameter("ids", ids)
                        .setHint(READ_ONLY, true)
                        .getResultList();
    }

    /**
     * Runs a sweeper's statement with the duration {@code time}, in milliseconds (?1), and {@code limit} (?2).
     * Returns its rows.
     */
    @SuppressWarnings("unchecked")
    static List<Object[]> resultRows(Query statement, Duration time, int limit) {
        return statement.setParameter(1, time.toMillis()).setParameter(2, limit).getResultList();
    }

    /**
     * Locks those of the executions that no other transaction has locked, until this transaction ends; returns their
     * ids.
     */
    @SuppressWarnings("unchecked")
    static Set<UUID> lockAvailable(EntityManager session, List<UUID> ids) {
        if (ids.isEmpty()) {
            return Set.of();
        }
        String marks = String.join(", ", Collections.nCopies(ids.size(), "?"));
        Query query = session.createNativeQuery(
                "select id from execution where id in (" + marks + ") for update skip locked");
        for (int i = 0; i < ids.size(); i++) {
            query.setParameter(i + 1, ids.get(i));
        }
        return Set.copyOf(query.getResultList());
    }

    static FencingToken toFencingToken(Object[] columns) {
        return new FencingToken(new ExecutionId((UUID) columns[0]), ((Number) columns[1]).intValue());
    }

    /** Converts a time of the database: H2's driver returns {@link OffsetDateTime}, PostgreSQL's {@link Timestamp}. */
    static Instant toInstant(Object time) {
        return time instanceof OffsetDateTime h2 ? h2.toInstant() : ((Timestamp) time).toInstant();
    }
}
