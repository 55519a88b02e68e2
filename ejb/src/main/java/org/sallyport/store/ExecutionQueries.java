package org.sallyport.store;

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
import org.sallyport.execution.Claim;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Extent;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Submitted;
import org.sallyport.tool.Json;

/** How executions are read. */
final class ExecutionQueries {
    /** Rows that are only read need no copy. Not within a transaction: EclipseLink reads such rows on another connection. */
    private static final String READ_ONLY = "eclipselink.read-only";

    /** Everything but the code, which may be a megabyte and nobody asks for here. */
    static final String FIND = """
            select e, i.args, i.grants, i.intent, i.cpuMillis, i.heapBytes, i.toolCalls, i.outputChars, o, i.effects, i.callback, i.trace,
                i.script, i.cachedFrom, i.costLimit, i.furtherLimits
            from ExecutionRow e join InputRow i on i.executionId = e.id left join OutcomeRow o on o.executionId = e.id
            where e.id = :id and e.tenant = :tenant
            """;

    /** Of any tenant, for what the service does by itself. */
    static final String FIND_ANY = FIND.replace(" and e.tenant = :tenant", "");

    static final String LIVE = "select e.id from ExecutionRow e where e.id in :ids and e.finishedAt is null";

    static final String CODE = """
            select i.code from ExecutionRow e join InputRow i on i.executionId = e.id
            where e.id = :id and e.tenant = :tenant
            """;

    private static final String SUBMITTED = """
            select e, i from ExecutionRow e join InputRow i on i.executionId = e.id
            where e.id = :id and e.tenant = :tenant
            """;

    private static final String INPUT = "select i from InputRow i where i.executionId = :id";

    /** How many pending executions up to and including this one; 0 when it is not pending itself. */
    static final String QUEUE_POSITION = """
            select count(o) from ExecutionRow e, ExecutionRow o
            where e.id = :id and e.tenant = :tenant and e.state = :pending and o.tenant = :tenant and o.state = :pending
                and (o.priority > e.priority or (o.priority = e.priority and o.id <= e.id))
            """;

    static final String GIVE_OUT =
            "update ExecutionRow e set e.nextCheckAt = :next where e.id in :ids and e.state = :pending";

    static final String CANCEL_REQUESTS =
            "select e.id from ExecutionRow e where e.state = :running and e.node = :node and e.cancelRequested = true";

    private static final String CLAIMED = """
            select e, i, current_timestamp from ExecutionRow e join InputRow i on i.executionId = e.id where e.id = :id
            """;

    private static final String STATE = "select e.state from ExecutionRow e where e.id = :id and e.tenant = :tenant";

    private static final String EXTENT = """
            select e.state, e.attempt, e.lastSeq, e.outLength, e.errLength from ExecutionRow e
            where e.id = :id and e.tenant = :tenant
            """;
    /** Ordered as its index is, from the first column on: otherwise H2 reads and sorts all that a tenant has, for each page. */
    private static final String PAGE =
            "select e from ExecutionRow e where e.tenant = :tenant and e.id < :end order by e.tenant, e.id desc";

    private static final String PAGE_OF_STATE = """
            select e from ExecutionRow e where e.tenant = :tenant and e.state = :state and e.id < :end
            order by e.tenant, e.state, e.id desc
            """;

    private static final String THESE = "select e from ExecutionRow e where e.id in :ids order by e.id desc";

    private ExecutionQueries() {}

    static Execution found(@Nullable Object[] columns) {
        InputRow input = new InputRow();
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
        return Executions.execution((ExecutionRow) columns[0], input, (OutcomeRow) columns[8]);
    }

    /** Takes a pending execution that nothing keeps from running. */
    static Optional<Claim> claim(EntityManager session, ExecutionId id, String node) {
        int taken = session.createNamedQuery(ExecutionStatements.CLAIM)
                .setParameter(1, id.value())
                .setParameter(2, node)
                .executeUpdate();
        return taken == 0 ? Optional.empty() : Optional.of(claimed(session, id));
    }

    private static Claim claimed(EntityManager session, ExecutionId id) {
        Object[] columns = session.createQuery(CLAIMED, Object[].class)
                .setParameter("id", id.value())
                .getSingleResult();
        return Executions.claim((ExecutionRow) columns[0], (InputRow) columns[1], instant(columns[2]));
    }

    static Optional<Submitted> submitted(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(SUBMITTED, Object[].class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .findFirst()
                .map(columns -> Executions.submitted((ExecutionRow) columns[0], (InputRow) columns[1]));
    }

    /** What all chance of an execution comes from; empty when there is no such execution. */
    static Optional<String> seed(EntityManager session, ExecutionId id) {
        return session.createQuery(INPUT, InputRow.class)
                .setParameter("id", id.value())
                .getResultStream()
                .findFirst()
                .map(Executions::seed);
    }

    static Optional<ExecutionState> state(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(STATE, ExecutionState.class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .findFirst();
    }

    static Optional<Extent> extent(EntityManager session, String tenant, ExecutionId id) {
        return session.createQuery(EXTENT, Object[].class)
                .setParameter("id", id.value())
                .setParameter("tenant", tenant)
                .getResultStream()
                .findFirst()
                .map(columns -> new Extent(
                        (ExecutionState) columns[0], (Integer) columns[1], (Long) columns[2], (Long) columns[3], (Long)
                                columns[4]));
    }

    /** Newest first, of one state or of all. */
    static Stream<ExecutionRow> page(
            EntityManager session, String tenant, @Nullable ExecutionState state, UUID end, int limit) {
        TypedQuery<ExecutionRow> query = session.createQuery(state == null ? PAGE : PAGE_OF_STATE, ExecutionRow.class)
                .setParameter("tenant", tenant)
                .setParameter("end", end)
                .setMaxResults(limit)
                .setHint(READ_ONLY, true);
        if (state != null) {
            query.setParameter("state", state);
        }
        return query.getResultStream();
    }

    /** Newest first, those of these that are still there. */
    static List<ExecutionRow> these(EntityManager session, List<UUID> ids) {
        return ids.isEmpty()
                ? List.of()
                : session.createQuery(THESE, ExecutionRow.class)
                        .setParameter("ids", ids)
                        .setHint(READ_ONLY, true)
                        .getResultList();
    }

    /** The rows of a sweeper's statement. */
    @SuppressWarnings("unchecked")
    static List<Object[]> rows(Query statement, Duration time, int limit) {
        return statement.setParameter(1, time.toMillis()).setParameter(2, limit).getResultList();
    }

    /** Those of these executions that nobody else holds just now, held by the transaction from here on. */
    @SuppressWarnings("unchecked")
    static Set<UUID> hold(EntityManager session, List<UUID> ids) {
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

    static Fence fence(Object[] columns) {
        return new Fence(new ExecutionId((UUID) columns[0]), ((Number) columns[1]).intValue());
    }

    /** The database's time, as one driver or the other gives it. */
    static Instant instant(Object time) {
        return time instanceof OffsetDateTime h2 ? h2.toInstant() : ((Timestamp) time).toInstant();
    }
}
