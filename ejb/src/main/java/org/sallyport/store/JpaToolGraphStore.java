package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
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
import org.sallyport.store.ToolGraphStatements.Kind;
import org.sallyport.toolgraph.Finished;
import org.sallyport.toolgraph.Tallies;
import org.sallyport.toolgraph.ToolGraph;
import org.sallyport.toolgraph.ToolGraphStore;
import org.sallyport.toolgraph.Week;

/** What executions have taught, in the database. How far it has learned and what it has learned are one commit. */
public final class JpaToolGraphStore implements ToolGraphStore {
    private static final UUID FIRST = new UUID(0, 0);
    private static final Duration STRETCH = Duration.ofSeconds(10);

    private final Database database;

    public JpaToolGraphStore(Database database) {
        this.database = database;
    }

    /** An execution that has ended. */
    private record Seen(UUID id, String tenant, Instant at, long events, Optional<String> intent, boolean real) {}

    /** Up to where all is learned. */
    private record Place(Instant at, UUID id) {}

    /** What is read is read outside of the transaction: hiding what must not be seen may ask the store for what that is. */
    @Override
    public boolean learn(Stride stride, BinaryOperator<String> redaction) {
        Optional<Place> place = database.read(JpaToolGraphStore::place);
        if (place.isEmpty()) {
            return begin();
        }
        List<Seen> ended = database.read(session -> ended(session, place.get(), stride));
        if (ended.isEmpty()) {
            return false;
        }
        Map<UUID, List<Finished.Step>> steps = database.read(session -> steps(session, ended, stride.events()));
        Tallies tallies = new Tallies(redaction);
        ended.forEach(each -> tallies.add(
                new Finished(each.tenant(), each.at(), each.intent(), steps.getOrDefault(each.id(), List.of()))));
        Seen last = ended.get(ended.size() - 1);
        return database.write(session -> {
            if (!advance(session, place.get(), last)) {
                return false;
            }
            tallies.terms().forEach((term, tally) -> write(session, term, tally));
            Failpoint.LEARNING.reached(last.id());
            return true;
        });
    }

    private static Optional<Place> place(EntityManager session) {
        return JpaBatchStore.rows(session, ToolGraphStatements.PROGRESS).stream()
                .findFirst()
                .map(row -> new Place(JpaScheduleStore.instant(row[0]), JpaBatchStore.uuid(row[1])));
    }

    private boolean begin() {
        return database.writeAgainIfDuplicate(session -> {
            if (place(session).isEmpty()) {
                JpaBatchStore.query(session, ToolGraphStatements.BEGIN, FIRST).executeUpdate();
            }
            return true;
        });
    }

    /** Whether nobody else has learned from there meanwhile. */
    private static boolean advance(EntityManager session, Place from, Seen to) {
        return JpaBatchStore.query(
                                session,
                                ToolGraphStatements.ADVANCE,
                                JpaScheduleStore.time(to.at()),
                                to.id(),
                                JpaScheduleStore.time(from.at()),
                                from.id())
                        .executeUpdate()
                == 1;
    }

    /** Those of a stretch of time are sorted, never all that have ended since. */
    private static List<Seen> ended(EntityManager session, Place place, Stride stride) {
        Instant now = now(session);
        Instant oldest = Week.start(Week.of(now) - stride.weeks());
        Place from = place.at().isBefore(oldest) ? new Place(oldest, FIRST) : place;
        Instant settled = now.minus(stride.settled());
        Instant until =
                next(session, from, stride).map(next -> next.plus(STRETCH)).orElse(from.at());
        List<Seen> ended = JpaBatchStore.rows(
                        session,
                        ToolGraphStatements.ENDED,
                        JpaScheduleStore.time(from.at()),
                        from.id(),
                        stride.executions(),
                        JpaScheduleStore.time(until.isAfter(settled) ? settled : until))
                .stream()
                .map(row -> new Seen(
                        JpaBatchStore.uuid(row[0]),
                        LosslessText.decode(JpaBatchStore.text(row[1])),
                        JpaScheduleStore.instant(row[2]),
                        number(row[3]),
                        Optional.ofNullable((String) row[4]).map(LosslessText::decode),
                        "REAL".equals(row[5])))
                .toList();
        return light(ended, stride.events());
    }

    private static Optional<Instant> next(EntityManager session, Place from, Stride stride) {
        @Nullable Object at = JpaBatchStore.rows(
                        session,
                        ToolGraphStatements.NEXT,
                        JpaScheduleStore.time(from.at()),
                        stride.settled().toMillis())
                .get(0)[0];
        return Optional.ofNullable(at).map(JpaScheduleStore::instant);
    }

    private static Instant now(EntityManager session) {
        return JpaScheduleStore.instant(
                JpaBatchStore.rows(session, "select current_timestamp, 0").get(0)[0]);
    }

    /** The first, as many as have few enough events together; one at least. */
    private static List<Seen> light(List<Seen> ended, int most) {
        int count = 0;
        long events = 0;
        for (Seen each : ended) {
            events += each.events();
            if (events > most && count > 0) {
                break;
            }
            count++;
        }
        return ended.subList(0, count);
    }

    private static Map<UUID, List<Finished.Step>> steps(EntityManager session, List<Seen> ended, int events) {
        List<UUID> real = ended.stream().filter(Seen::real).map(Seen::id).toList();
        if (real.isEmpty()) {
            return Map.of();
        }
        String marks =
                IntStream.range(0, real.size()).mapToObj(i -> "?" + (i + 2)).collect(Collectors.joining(", "));
        Object[] values = Stream.concat(Stream.of((long) events), real.stream()).toArray();
        Map<UUID, List<Finished.Step>> steps = new HashMap<>();
        JpaBatchStore.rows(session, ToolGraphStatements.STEPS + marks + ToolGraphStatements.IN_ORDER, values)
                .forEach(row -> step(row)
                        .ifPresent(step -> steps.computeIfAbsent(JpaBatchStore.uuid(row[0]), any -> new ArrayList<>())
                                .add(step)));
        return steps;
    }

    private static Optional<Finished.Step> step(@Nullable Object[] row) {
        String type = JpaBatchStore.text(row[1]);
        long call = number(row[2]);
        if (type.equals(TraceEventRow.TOOL_STARTED)) {
            return Optional.of(new Finished.Started(call));
        } else if (type.equals(TraceEventRow.JUDGED)) {
            return "mock".equals(row[7]) ? Optional.of(new Finished.Mocked(call)) : Optional.empty();
        }
        return Optional.of(new Finished.Ended(
                call,
                LosslessText.decode(JpaBatchStore.text(row[3])),
                Optional.ofNullable((String) row[4]),
                number(row[5]),
                "AGAIN".equals(row[6])));
    }

    private static long number(@Nullable Object value) {
        return value == null ? 0 : ((Number) value).longValue();
    }

    private static void write(EntityManager session, Tallies.Term term, Tallies.Tally tally) {
        tally.tools()
                .forEach((tool, count) -> add(
                        session,
                        Kind.TOOL,
                        term,
                        List.of(tool),
                        count,
                        count.calls(),
                        count.failures(),
                        count.millis(),
                        count.begins()));
        tally.follows()
                .forEach((pair, count) -> add(
                        session,
                        Kind.FOLLOW,
                        term,
                        List.of(pair.from(), pair.to()),
                        count,
                        count.calls(),
                        count.failures()));
        tally.purposes()
                .forEach((pair, count) ->
                        add(session, Kind.PURPOSE, term, List.of(pair.word(), pair.tool()), count, count.calls()));
        trim(session, Kind.TOOL, term, MOST_TOOLS);
        trim(session, Kind.FOLLOW, term, MOST_FOLLOWS);
        trim(session, Kind.PURPOSE, term, MOST_PURPOSES);
    }

    private static void add(
            EntityManager session,
            Kind kind,
            Tallies.Term term,
            List<String> names,
            Tallies.Count count,
            Long... counts) {
        OffsetDateTime last = JpaScheduleStore.time(count.last());
        List<Object> values = new ArrayList<>(List.of(LosslessText.encode(term.tenant()), term.week()));
        names.forEach(name -> values.add(LosslessText.encode(name)));
        values.addAll(List.of(counts));
        values.add(last);
        if (JpaBatchStore.query(session, kind.add(), values.toArray()).executeUpdate() == 0) {
            JpaBatchStore.query(session, kind.insert(), values.toArray()).executeUpdate();
        }
    }

    /** A tenth more than it must, so that it is not done each time. */
    private static void trim(EntityManager session, Kind kind, Tallies.Term term, int most) {
        String tenant = LosslessText.encode(term.tenant());
        long count = number(
                JpaBatchStore.rows(session, kind.count(), tenant, term.week()).get(0)[0]);
        if (count > most) {
            JpaBatchStore.query(session, kind.trim(), tenant, term.week(), count - most + most / 10)
                    .executeUpdate();
        }
    }

    @Override
    public boolean forget(int week) {
        for (Kind kind : Kind.values()) {
            boolean found = database.write(session -> {
                List<@Nullable Object[]> oldest = JpaBatchStore.rows(session, kind.oldest(), week);
                oldest.forEach(row -> JpaBatchStore.query(
                                session, kind.forget(), JpaBatchStore.text(row[0]), (int) number(row[1]))
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
                        JpaBatchStore.rows(session, Kind.TOOL.read(), owner, week, MOST_TOOLS).stream()
                                .map(row -> new ToolGraph.Node(
                                        name(row[0]),
                                        number(row[1]),
                                        number(row[2]),
                                        number(row[3]),
                                        number(row[4]),
                                        JpaScheduleStore.instant(row[5])))
                                .toList(),
                        JpaBatchStore.rows(session, Kind.FOLLOW.read(), owner, week, MOST_FOLLOWS).stream()
                                .map(row ->
                                        new ToolGraph.Edge(name(row[0]), name(row[1]), number(row[2]), number(row[3])))
                                .toList(),
                        JpaBatchStore.rows(session, Kind.PURPOSE.read(), owner, week, MOST_PURPOSES).stream()
                                .map(row -> new ToolGraph.Purpose(name(row[0]), name(row[1]), number(row[2])))
                                .toList()));
    }

    private static String name(@Nullable Object value) {
        return LosslessText.decode(JpaBatchStore.text(value));
    }
}
