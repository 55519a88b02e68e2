package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.UnfinishedCounts;

/** Counts executions in the database. Thread-safe. */
public final class JpaExecutionCounts implements ExecutionCounts {
    /** The age of an execution with a start time begins at that time. */
    private static final String SELECT_COUNTS =
            "select state, priority, count(*), min(greatest(created_at, coalesce(not_before, created_at))),"
                    + " current_timestamp from execution";

    private static final String WHERE_UNFINISHED = " where state in ('PENDING', 'RUNNING', 'WAITING')";
    private static final String GROUP_BY_STATE = " group by state, priority order by state, priority desc";
    private static final String COUNT_ALL = SELECT_COUNTS + WHERE_UNFINISHED + GROUP_BY_STATE;
    private static final String COUNT_OF_TENANT =
            SELECT_COUNTS + WHERE_UNFINISHED + " and tenant = ?1" + GROUP_BY_STATE;
    private static final String COUNT_RUNNING_BY_NODE =
            "select node, count(*) from execution where state = 'RUNNING' group by node";
    private static final String COUNT_PENDING =
            "select count(*) from execution where tenant = ?1 and state = 'PENDING'";
    private static final String COUNT_UNFINISHED =
            "select count(*) from execution" + WHERE_UNFINISHED + " and tenant = ?1";
    private static final String COUNT_SINCE = "select count(*) from execution where tenant = ?1 and id >= ?2";

    private final Database database;

    public JpaExecutionCounts(Database database) {
        this.database = database;
    }

    @Override
    public UnfinishedCounts unfinishedCounts(Optional<String> tenant) {
        return new UnfinishedCounts(database
                .read(session -> tenant.isPresent()
                        ? JpaBatchStore.selectRows(session, COUNT_OF_TENANT, LosslessText.encode(tenant.get()))
                        : JpaBatchStore.selectRows(session, COUNT_ALL))
                .stream()
                .map(JpaExecutionCounts::toRow)
                .toList());
    }

    private static UnfinishedCounts.UnfinishedCount toRow(@Nullable Object[] row) {
        Instant oldest = ExecutionQueries.toInstant(Objects.requireNonNull(row[3]));
        Instant now = ExecutionQueries.toInstant(Objects.requireNonNull(row[4]));
        return new UnfinishedCounts.UnfinishedCount(
                ExecutionState.valueOf(JpaBatchStore.text(row[0])),
                JpaBatchStore.number(row[1]),
                JpaBatchStore.number(row[2]),
                oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now));
    }

    @Override
    public long countPending(String tenant) {
        return count(COUNT_PENDING, tenant);
    }

    @Override
    public long countUnfinished(String tenant) {
        return count(COUNT_UNFINISHED, tenant);
    }

    private long count(String statement, String tenant) {
        return database.read(session ->
                JpaBatchStore.number(JpaBatchStore.nativeQuery(session, statement, LosslessText.encode(tenant))
                        .getResultList()
                        .get(0)));
    }

    @Override
    public Map<String, Integer> countRunningByLeaseOwner() {
        Map<String, Integer> running = new HashMap<>();
        List<@Nullable Object[]> rows =
                database.read(session -> JpaBatchStore.selectRows(session, COUNT_RUNNING_BY_NODE));
        for (@Nullable Object[] row : rows) {
            if (row[0] != null) {
                running.put(JpaBatchStore.text(row[0]), JpaBatchStore.number(row[1]));
            }
        }
        return running;
    }

    @Override
    public int countAcceptedSince(String tenant, ExecutionId id) {
        return database.read(session -> count(session, tenant, id));
    }

    private static int count(EntityManager session, String tenant, ExecutionId id) {
        List<?> count = JpaBatchStore.nativeQuery(session, COUNT_SINCE, LosslessText.encode(tenant), id.value())
                .getResultList();
        return JpaBatchStore.number(count.get(0));
    }
}
