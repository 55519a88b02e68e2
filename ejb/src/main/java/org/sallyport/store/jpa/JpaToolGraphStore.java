package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.store.jpa.ToolGraphStatements.ToolGraphTable;
import org.sallyport.toolgraph.FinishedExecution;
import org.sallyport.toolgraph.ToolGraph;
import org.sallyport.toolgraph.ToolGraphStore;
import org.sallyport.toolgraph.UsageAggregator;
import org.sallyport.toolgraph.WeekBucket;

/**
 * Stores the tool graph in the database. One transaction stores what was learned and advances the cursor. Thread-safe.
 */
public final class JpaToolGraphStore implements ToolGraphStore {
    private static final UUID MIN_ID = new UUID(0, 0);
    private static final Duration TIME_WINDOW = Duration.ofSeconds(10);

    private final Database database;

    public JpaToolGraphStore(Database database) {
        this.database = database;
    }

    /**
     * An ended execution.
     *
     * @param events number of its trace events
     * @param real false for a dry run
     */
    private record EndedExecutionRow(
            UUID id, String tenant, Instant at, long events, Optional<String> intent, boolean real) {}

    /** Position in the order of ends up to which all executions are ingested. */
    private record ToolGraphCursor(Instant at, UUID id) {}

    /** Reads outside of the transaction, because the redaction may query the store for the values to hide. */
    @Override
    public boolean ingest(IngestLimits stride, BinaryOperator<String> redaction) {
        Optional<ToolGraphCursor> place = database.read(JpaToolGraphStore::readCursor);
        if (place.isEmpty()) {
            return initializeCursor();
        }
        List<EndedExecutionRow> ended = database.read(session -> findEnded(session, place.get(), stride));
        if (ended.isEmpty()) {
            return false;
        }
        Map<UUID, List<FinishedExecution.CallStep>> steps =
                database.read(session -> loadSteps(session, ended, stride.maxEvents()));
        UsageAggregator tallies = new UsageAggregator(redaction);
        ended.forEach(each -> tallies.add(new FinishedExecution(
                each.tenant(), each.at(), each.intent(), steps.getOrDefault(each.id(), List.of()))));
        EndedExecutionRow last = ended.get(ended.size() - 1);
        return database.write(session -> {
            if (!advanceCursor(session, place.get(), last)) {
                return false;
            }
            tallies.usageByWeek().forEach((term, tally) -> write(session, term, tally));
            Failpoint.LEARNING.reached(last.id());
            return true;
        });
    }

    private static Optional<ToolGraphCursor> readCursor(EntityManager session) {
        return JpaBatchStore.selectRows(session, ToolGraphStatements.SELECT_CURSOR).stream()
                .findFirst()
                .map(row -> new ToolGraphCursor(JpaScheduleStore.toInstant(row[0]), JpaBatchStore.uuid(row[1])));
    }

    private boolean initializeCursor() {
        return database.writeWithDuplicateRetry(session -> {
            if (readCursor(session).isEmpty()) {
                JpaBatchStore.nativeQuery(session, ToolGraphStatements.INSERT_CURSOR, MIN_ID)
                        .executeUpdate();
            }
            return true;
        });
    }

    /** Advances the cursor. Returns false if another node has advanced it since it was read. */
    private static boolean advanceCursor(EntityManager session, ToolGraphCursor from, EndedExecutionRow to) {
        return JpaBatchStore.nativeQuery(
                                session,
                                ToolGraphStatements.ADVANCE_CURSOR,
                                JpaScheduleStore.toOffsetDateTime(to.at()),
                                to.id(),
                                JpaScheduleStore.toOffsetDateTime(from.at()),
                                from.id())
                        .executeUpdate()
                == 1;
    }

    /**
     * Reads the executions of one time window, so that the database never sorts all executions that have ended since.
     */
    private static List<EndedExecutionRow> findEnded(
            EntityManager session, ToolGraphCursor place, IngestLimits stride) {
        Instant now = now(session);
        Instant oldest = WeekBucket.startOf(WeekBucket.of(now) - stride.retentionWeeks());
        ToolGraphCursor from = place.at().isBefore(oldest) ? new ToolGraphCursor(oldest, MIN_ID) : place;
        Instant settled = now.minus(stride.ingestDelay());
        Instant until = findNextEnd(session, from, stride)
                .map(next -> next.plus(TIME_WINDOW))
                .orElse(from.at());
        List<EndedExecutionRow> ended = JpaBatchStore.selectRows(
                        session,
                        ToolGraphStatements.ENDED,
                        JpaScheduleStore.toOffsetDateTime(from.at()),
                        from.id(),
                        stride.maxExecutions(),
                        JpaScheduleStore.toOffsetDateTime(until.isAfter(settled) ? settled : until))
                .stream()
                .map(row -> new EndedExecutionRow(
                        JpaBatchStore.uuid(row[0]),
                        LosslessText.decode(JpaBatchStore.text(row[1])),
                        JpaScheduleStore.toInstant(row[2]),
                        number(row[3]),
                        Optional.ofNullable((String) row[4]).map(LosslessText::decode),
                        "REAL".equals(row[5])))
                .toList();
        return limitByEvents(ended, stride.maxEvents());
    }

    private static Optional<Instant> findNextEnd(EntityManager session, ToolGraphCursor from, IngestLimits stride) {
        @Nullable Object at = JpaBatchStore.selectRows(
                        session,
                        ToolGraphStatements.NEXT_END,
                        JpaScheduleStore.toOffsetDateTime(from.at()),
                        stride.ingestDelay().toMillis())
                .get(0)[0];
        return Optional.ofNullable(at).map(JpaScheduleStore::toInstant);
    }

    private static Instant now(EntityManager session) {
        return JpaScheduleStore.toInstant(
                JpaBatchStore.selectRows(session, "select current_timestamp, 0").get(0)[0]);
    }

    /** Returns the first executions that together have at most {@code maxEvents} trace events; at least one. */
    private static List<EndedExecutionRow> limitByEvents(List<EndedExecutionRow> ended, int maxEvents) {
        int count = 0;
        long events = 0;
        for (EndedExecutionRow each : ended) {
            events += each.events();
            if (events > maxEvents && count > 0) {
                break;
            }
            count++;
        }
        return ended.subList(0, count);
    }

    private static Map<UUID, List<FinishedExecution.CallStep>> loadSteps(
            EntityManager session, List<EndedExecutionRow> ended, int events) {
        List<UUID> real = ended.stream()
                .filter(EndedExecutionRow::real)
                .map(EndedExecutionRow::id)
                .toList();
        if (real.isEmpty()) {
            return Map.of();
        }
        String marks =
                IntStream.range(0, real.size()).mapToObj(i -> "?" + (i + 2)).collect(Collectors.joining(", "));
        Object[] values = Stream.concat(Stream.of((long) events), real.stream()).toArray();
        Map<UUID, List<FinishedExecution.CallStep>> steps = new HashMap<>();
        JpaBatchStore.selectRows(
                        session, ToolGraphStatements.STEPS + marks + ToolGraphStatements.ORDER_BY_SEQUENCE, values)
                .forEach(row -> toStep(row)
                        .ifPresent(step -> steps.computeIfAbsent(JpaBatchStore.uuid(row[0]), any -> new ArrayList<>())
                                .add(step)));
        return steps;
    }

    private static Optional<FinishedExecution.CallStep> toStep(@Nullable Object[] row) {
        String type = JpaBatchStore.text(row[1]);
        long call = number(row[2]);
        if (type.equals(TraceEventEntity.TOOL_STARTED)) {
            return Optional.of(new FinishedExecution.CallStarted(call));
        } else if (type.equals(TraceEventEntity.JUDGED)) {
            return "mock".equals(row[7]) ? Optional.of(new FinishedExecution.CallMocked(call)) : Optional.empty();
        }
        return Optional.of(new FinishedExecution.CallEnded(
                call,
                LosslessText.decode(JpaBatchStore.text(row[3])),
                Optional.ofNullable((String) row[4]),
                number(row[5]),
                "AGAIN".equals(row[6])));
    }

    private static long number(@Nullable Object value) {
        return value == null ? 0 : ((Number) value).longValue();
    }

    private static void write(
            EntityManager session, UsageAggregator.TenantWeek term, UsageAggregator.WeeklyUsage tally) {
        tally.tools()
                .forEach((tool, count) -> addCount(
                        session,
                        ToolGraphTable.TOOL,
                        term,
                        List.of(tool),
                        count,
                        count.calls(),
                        count.failures(),
                        count.millis(),
                        count.firstCalls()));
        tally.transitions()
                .forEach((pair, count) -> addCount(
                        session,
                        ToolGraphTable.TRANSITION,
                        term,
                        List.of(pair.from(), pair.to()),
                        count,
                        count.calls(),
                        count.failures()));
        tally.intents()
                .forEach((pair, count) -> addCount(
                        session, ToolGraphTable.INTENT, term, List.of(pair.word(), pair.tool()), count, count.calls()));
        trim(session, ToolGraphTable.TOOL, term, MAX_TOOLS);
        trim(session, ToolGraphTable.TRANSITION, term, MAX_TRANSITIONS);
        trim(session, ToolGraphTable.INTENT, term, MAX_INTENTS);
    }

    private static void addCount(
            EntityManager session,
            ToolGraphTable kind,
            UsageAggregator.TenantWeek term,
            List<String> names,
            UsageAggregator.UsageCount count,
            Long... counts) {
        OffsetDateTime last = JpaScheduleStore.toOffsetDateTime(count.lastUsedAt());
        List<Object> values = new ArrayList<>(List.of(LosslessText.encode(term.tenant()), term.week()));
        names.forEach(name -> values.add(LosslessText.encode(name)));
        values.addAll(List.of(counts));
        values.add(last);
        if (JpaBatchStore.nativeQuery(session, kind.updateSql(), values.toArray())
                        .executeUpdate()
                == 0) {
            JpaBatchStore.nativeQuery(session, kind.insertSql(), values.toArray())
                    .executeUpdate();
        }
    }

    /** Deletes a tenth more rows than necessary, so that not every ingestion deletes rows. */
    private static void trim(EntityManager session, ToolGraphTable kind, UsageAggregator.TenantWeek term, int maxRows) {
        String tenant = LosslessText.encode(term.tenant());
        long count = number(JpaBatchStore.selectRows(session, kind.countSql(), tenant, term.week())
                .get(0)[0]);
        if (count > maxRows) {
            for (@Nullable Object[] row : JpaBatchStore.selectRows(
                    session, kind.leastUsedSql(), tenant, term.week(), count - maxRows + maxRows / 10)) {
                List<@Nullable Object> key = new ArrayList<>(List.of(tenant, term.week()));
                key.addAll(Arrays.asList(row).subList(0, row.length - 1));
                JpaBatchStore.nativeQuery(session, kind.deleteSql(), key.toArray())
                        .executeUpdate();
            }
        }
    }

    @Override
    public boolean deleteBefore(int week) {
        for (ToolGraphTable kind : ToolGraphTable.values()) {
            boolean found = database.write(session -> {
                List<@Nullable Object[]> oldest = JpaBatchStore.selectRows(session, kind.oldestSql(), week);
                oldest.forEach(row -> JpaBatchStore.nativeQuery(
                                session, kind.forgetSql(), JpaBatchStore.text(row[0]), (int) number(row[1]))
                        .executeUpdate());
                return !oldest.isEmpty();
            });
            if (found) {
                return true;
            }
        }
        return false;
    }

    @Override
    public ToolGraph read(String tenant, int week) {
        String owner = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> new ToolGraph(
                        JpaBatchStore.selectRows(session, ToolGraphTable.TOOL.readSql(), owner, week, MAX_TOOLS)
                                .stream()
                                .map(row -> new ToolGraph.ToolNode(
                                        name(row[0]),
                                        number(row[1]),
                                        number(row[2]),
                                        number(row[3]),
                                        number(row[4]),
                                        JpaScheduleStore.toInstant(row[5])))
                                .toList(),
                        JpaBatchStore.selectRows(
                                        session, ToolGraphTable.TRANSITION.readSql(), owner, week, MAX_TRANSITIONS)
                                .stream()
                                .map(row -> new ToolGraph.ToolEdge(
                                        name(row[0]), name(row[1]), number(row[2]), number(row[3])))
                                .toList(),
                        JpaBatchStore.selectRows(session, ToolGraphTable.INTENT.readSql(), owner, week, MAX_INTENTS)
                                .stream()
                                .map(row -> new ToolGraph.ToolIntent(name(row[0]), name(row[1]), number(row[2])))
                                .toList()));
    }

    private static String name(@Nullable Object value) {
        return LosslessText.decode(JpaBatchStore.text(value));
    }
}
