package org.sallyport.store.jpa;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.telemetry.SpanOutbox;

/** Stores in the database which executions have spans that are still to be exported. Thread-safe. */
public final class JpaSpanOutbox implements SpanOutbox {
    /** For the transaction that accepts the execution. */
    static final String INSERT_PENDING = "insert into span_export (execution_id) values (?1)";

    private static final String SELECT_PENDING = """
            select s.execution_id from span_export s join execution e on e.id = s.execution_id
            where e.finished_at is not null and s.execution_id in (""";

    /** Reads ?2 rows, whether their executions have ended or not: very many executions may be waiting to run. */
    private static final String PAGE = """
            select s.execution_id,
                case when e.finished_at <= current_timestamp - cast(?3 as bigint) * interval '0.001' second
                    then 'ENDED' else 'LIVE' end
            from (select execution_id from span_export where execution_id > ?1 order by execution_id limit ?2) s
                join execution e on e.id = s.execution_id
            order by s.execution_id
            """;

    private static final String DELETE_EXPIRED = """
            delete from span_export where execution_id in (
                select s.execution_id from span_export s join execution e on e.id = s.execution_id
                where e.finished_at <= current_timestamp - cast(?1 as bigint) * interval '0.001' second
                limit ?2)
            """;

    private static final String DELETE_SENT = "delete from span_export where execution_id in (";
    private static final UUID MIN_ID = new UUID(0, 0);
    private static final String ENDED = "ENDED";

    private final Database database;

    public JpaSpanOutbox(Database database) {
        this.database = database;
    }

    @Override
    public List<ExecutionId> retainUnsent(List<ExecutionId> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        Set<UUID> found = new HashSet<>();
        database.read(session -> JpaBatchStore.nativeQuery(
                                session, SELECT_PENDING + placeholders(ids) + ")", values(ids))
                        .getResultList())
                .forEach(id -> found.add(JpaBatchStore.uuid(id)));
        return ids.stream().filter(id -> found.remove(id.value())).toList();
    }

    @Override
    public Optional<Execution> find(ExecutionId id) {
        return database.read(session -> session.createQuery(ExecutionQueries.FIND_ANY, Object[].class)
                .setParameter("id", id.value())
                .getResultStream()
                .findFirst()
                .map(ExecutionQueries::toExecution));
    }

    private static String placeholders(List<ExecutionId> ids) {
        return IntStream.rangeClosed(1, ids.size()).mapToObj(i -> "?" + i).collect(Collectors.joining(", "));
    }

    private static Object[] values(List<ExecutionId> ids) {
        return ids.stream().map(ExecutionId::value).toArray();
    }

    @Override
    public OutboxPage listEnded(Optional<ExecutionId> after, Duration age, int limit) {
        List<@Nullable Object[]> rows = database.read(session -> JpaBatchStore.selectRows(
                session, PAGE, after.map(ExecutionId::value).orElse(MIN_ID), limit, age.toMillis()));
        List<ExecutionId> ended = rows.stream()
                .filter(row -> ENDED.equals(row[1]))
                .map(row -> new ExecutionId(JpaBatchStore.uuid(row[0])))
                .toList();
        return new OutboxPage(
                ended,
                rows.size() < limit
                        ? Optional.empty()
                        : Optional.of(new ExecutionId(JpaBatchStore.uuid(rows.get(rows.size() - 1)[0]))));
    }

    @Override
    public void markSent(List<ExecutionId> ids) {
        if (!ids.isEmpty()) {
            database.write(
                    session -> JpaBatchStore.nativeQuery(session, DELETE_SENT + placeholders(ids) + ")", values(ids))
                            .executeUpdate());
        }
    }

    @Override
    public int dropUnsent(Duration age, int limit) {
        return database.write(session -> JpaBatchStore.nativeQuery(session, DELETE_EXPIRED, age.toMillis(), limit)
                .executeUpdate());
    }
}
