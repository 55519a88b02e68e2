package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.callback.Callback;
import org.sallyport.callback.CallbackState;
import org.sallyport.callback.CallbackStore;
import org.sallyport.execution.ExecutionId;

/** Callbacks in the database. */
public final class JpaCallbackStore implements CallbackStore {
    private static final int LONGEST_FAILURE = 1_000;

    private final Database database;

    public JpaCallbackStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Callback> find(String tenant, ExecutionId execution) {
        return database.read(tenant, session -> find(session, tenant, execution));
    }

    private static Optional<Callback> find(EntityManager session, String tenant, ExecutionId execution) {
        return JpaBatchStore.rows(session, CallbackStatements.FIND, execution.value(), LosslessText.encode(tenant))
                .stream()
                .findFirst()
                .map(JpaCallbackStore::callback);
    }

    @Override
    public List<Callback> list(String tenant, CallbackState state, Optional<ExecutionId> before, int limit) {
        String whose = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? JpaBatchStore.rows(
                                        session,
                                        CallbackStatements.OLDER,
                                        whose,
                                        state.name(),
                                        before.get().value(),
                                        limit)
                                : JpaBatchStore.rows(session, CallbackStatements.NEWEST, whose, state.name(), limit))
                        .stream().map(JpaCallbackStore::callback).toList());
    }

    private static Callback callback(@Nullable Object[] row) {
        CallbackState state = CallbackState.valueOf(JpaBatchStore.text(row[3]));
        return new Callback(
                new ExecutionId(JpaBatchStore.uuid(row[0])),
                LosslessText.decode(JpaBatchStore.text(row[1])),
                LosslessText.decode(JpaBatchStore.text(row[2])),
                state,
                JpaBatchStore.number(row[4]),
                state == CallbackState.DUE ? Optional.of(JpaScheduleStore.instant(row[5])) : Optional.empty(),
                Optional.ofNullable((Number) row[6]).map(Number::intValue),
                Optional.ofNullable((String) row[7]).map(LosslessText::decode),
                Optional.ofNullable(row[8]).map(JpaScheduleStore::instant));
    }

    @Override
    public Optional<Callback> replay(String tenant, ExecutionId execution) {
        return database.write(tenant, session -> {
            JpaBatchStore.query(session, CallbackStatements.REPLAY, execution.value(), LosslessText.encode(tenant))
                    .executeUpdate();
            return find(session, tenant, execution);
        });
    }

    @Override
    public List<ExecutionId> settle(int limit) {
        return database.write(session -> {
            JpaBatchStore.query(session, CallbackStatements.SETTLE, limit).executeUpdate();
            List<?> left = JpaBatchStore.query(session, CallbackStatements.UNSETTLED, limit)
                    .getResultList();
            if (!left.isEmpty()) {
                JpaBatchStore.query(session, CallbackStatements.LOOK_LATER).executeUpdate();
            }
            return left.stream()
                    .map(id -> new ExecutionId(JpaBatchStore.uuid(id)))
                    .toList();
        });
    }

    @Override
    public void hint(ExecutionId execution) {
        database.write(session -> JpaBatchStore.query(session, CallbackStatements.HINT, execution.value())
                .executeUpdate());
    }

    @Override
    public Optional<Delivery> take(Duration time, Set<String> hosts, Set<String> tenants) {
        List<Object> parameters = new ArrayList<>();
        String more = without("host", hosts, parameters) + without("tenant", tenants, parameters);
        return database.write(session -> {
            List<@Nullable Object[]> due =
                    JpaBatchStore.rows(session, CallbackStatements.DUE.formatted(more), parameters.toArray());
            if (due.isEmpty()) {
                return Optional.empty();
            }
            @Nullable Object[] row = due.get(0);
            UUID id = JpaBatchStore.uuid(row[0]);
            JpaBatchStore.query(session, CallbackStatements.TAKE, id, time.toMillis())
                    .executeUpdate();
            return Optional.of(new Delivery(
                    new ExecutionId(id),
                    LosslessText.decode(JpaBatchStore.text(row[1])),
                    LosslessText.decode(JpaBatchStore.text(row[2])),
                    LosslessText.decode(JpaBatchStore.text(row[3])),
                    JpaBatchStore.number(row[4]) + 1,
                    JpaScheduleStore.instant(row[5]),
                    JpaScheduleStore.instant(row[6])));
        });
    }

    private static String without(String column, Set<String> values, List<Object> parameters) {
        if (values.isEmpty()) {
            return "";
        }
        List<String> marks = new ArrayList<>();
        for (String value : values) {
            parameters.add(LosslessText.encode(value));
            marks.add("?" + parameters.size());
        }
        return " and " + column + " not in (" + String.join(", ", marks) + ")";
    }

    @Override
    public boolean delivered(Delivery delivery, Attempt attempt) {
        return database.write(session -> JpaBatchStore.query(
                                session,
                                CallbackStatements.DELIVERED,
                                delivery.execution().value(),
                                delivery.attempt(),
                                attempt.status().orElse(0))
                        .executeUpdate()
                == 1);
    }

    @Override
    public boolean refused(Delivery delivery, Attempt attempt, Optional<Duration> wait) {
        String failure = attempt.failure().orElse("");
        List<Object> parameters = new ArrayList<>(List.of(
                delivery.execution().value(),
                delivery.attempt(),
                attempt.status().orElse(0),
                LosslessText.encode(
                        failure.length() > LONGEST_FAILURE ? failure.substring(0, LONGEST_FAILURE) : failure)));
        wait.ifPresent(time -> parameters.add(time.toMillis()));
        return database.write(session -> JpaBatchStore.query(
                                session,
                                wait.isPresent() ? CallbackStatements.AGAIN : CallbackStatements.FAILED,
                                parameters.toArray())
                        .executeUpdate()
                == 1);
    }

    @Override
    public Optional<Salt> salt(String tenant) {
        return database.read(
                tenant,
                session -> JpaBatchStore.rows(session, CallbackStatements.SALT, LosslessText.encode(tenant)).stream()
                        .findFirst()
                        .map(row -> new Salt(
                                JpaBatchStore.text(row[0]), JpaBatchStore.text(row[1]), Optional.ofNullable((String)
                                        row[2]))));
    }

    @Override
    public void putSalt(String tenant, String salt, String print, Duration overlap) {
        String whose = LosslessText.encode(tenant);
        database.writeAgainIfDuplicate(tenant, session -> {
            int renewed = JpaBatchStore.query(
                            session, CallbackStatements.RENEW_SALT, whose, salt, print, overlap.toMillis())
                    .executeUpdate();
            return renewed == 1
                    ? renewed
                    : JpaBatchStore.query(session, CallbackStatements.FIRST_SALT, whose, salt, print)
                            .executeUpdate();
        });
    }
}
