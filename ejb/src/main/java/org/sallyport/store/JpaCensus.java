package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Backlog;
import org.sallyport.execution.Census;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;

/** Counts rows. */
public final class JpaCensus implements Census {
    /** What is to begin later is no older than its time. */
    private static final String COUNT =
            "select state, priority, count(*), min(greatest(created_at, coalesce(not_before, created_at))),"
                    + " current_timestamp from execution";

    private static final String OPEN = " where state in ('PENDING', 'RUNNING', 'WAITING')";
    private static final String GROUPED = " group by state, priority order by state, priority desc";
    private static final String OF_ALL = COUNT + OPEN + GROUPED;
    private static final String OF_TENANT = COUNT + OPEN + " and tenant = ?1" + GROUPED;
    private static final String RUNNING = "select node, count(*) from execution where state = 'RUNNING' group by node";
    private static final String PENDING = "select count(*) from execution where tenant = ?1 and state = 'PENDING'";
    private static final String LIVE = "select count(*) from execution" + OPEN + " and tenant = ?1";
    private static final String SINCE = "select count(*) from execution where tenant = ?1 and id >= ?2";

    private final Database database;

    public JpaCensus(Database database) {
        this.database = database;
    }

    @Override
    public Backlog backlog(Optional<String> tenant) {
        return new Backlog(database
                .read(session -> tenant.isPresent()
                        ? JpaBatchStore.rows(session, OF_TENANT, LosslessText.encode(tenant.get()))
                        : JpaBatchStore.rows(session, OF_ALL))
                .stream()
                .map(JpaCensus::row)
                .toList());
    }

    private static Backlog.Row row(@Nullable Object[] row) {
        Instant oldest = ExecutionQueries.instant(Objects.requireNonNull(row[3]));
        Instant now = ExecutionQueries.instant(Objects.requireNonNull(row[4]));
        return new Backlog.Row(
                ExecutionState.valueOf(JpaBatchStore.text(row[0])),
                JpaBatchStore.number(row[1]),
                JpaBatchStore.number(row[2]),
                oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now));
    }

    @Override
    public long pending(String tenant) {
        return count(PENDING, tenant);
    }

    @Override
    public long live(String tenant) {
        return count(LIVE, tenant);
    }

    private long count(String statement, String tenant) {
        return database.read(
                session -> JpaBatchStore.number(JpaBatchStore.query(session, statement, LosslessText.encode(tenant))
                        .getResultList()
                        .get(0)));
    }

    @Override
    public Map<String, Integer> running() {
        Map<String, Integer> running = new HashMap<>();
        for (@Nullable Object[] row : database.read(session -> JpaBatchStore.rows(session, RUNNING))) {
            if (row[0] != null) {
                running.put(JpaBatchStore.text(row[0]), JpaBatchStore.number(row[1]));
            }
        }
        return running;
    }

    @Override
    public int acceptedSince(String tenant, ExecutionId id) {
        return database.read(session -> count(session, tenant, id));
    }

    private static int count(EntityManager session, String tenant, ExecutionId id) {
        List<?> count = JpaBatchStore.query(session, SINCE, LosslessText.encode(tenant), id.value())
                .getResultList();
        return JpaBatchStore.number(count.get(0));
    }
}
