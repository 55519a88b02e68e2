package org.sallyport.store.jpa;

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

/** Stores callbacks in the database. Thread-safe. */
public final class JpaCallbackStore implements CallbackStore {
    private static final int MAX_FAILURE_LENGTH = 1_000;

    private final Database database;

    public JpaCallbackStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Callback> find(String tenant, ExecutionId execution) {
        return database.read(tenant, session -> find(session, tenant, execution));
    }

    private static Optional<Callback> find(EntityManager session, String tenant, ExecutionId execution) {
        return JpaBatchStore.selectRows(
                        session, CallbackStatements.FIND, execution.value(), LosslessText.encode(tenant))
                .stream()
                .findFirst()
                .map(JpaCallbackStore::toCallback);
    }

    @Override
    public List<Callback> list(String tenant, CallbackState state, Optional<ExecutionId> before, int limit) {
        String whose = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? JpaBatchStore.selectRows(
                                        session,
                                        CallbackStatements.OLDER,
                                        whose,
                                        state.name(),
                                        before.get().value(),
                                        limit)
                                : JpaBatchStore.selectRows(
                                        session, CallbackStatements.NEWEST, whose, state.name(), limit))
                        .stream().map(JpaCallbackStore::toCallback).toList());
    }

    private static Callback toCallback(@Nullable Object[] row) {
        CallbackState state = CallbackState.valueOf(JpaBatchStore.text(row[3]));
        return new Callback(
                new ExecutionId(JpaBatchStore.uuid(row[0])),
                LosslessText.decode(JpaBatchStore.text(row[1])),
                LosslessText.decode(JpaBatchStore.text(row[2])),
                state,
                JpaBatchStore.number(row[4]),
                state == CallbackState.DUE ? Optional.of(JpaScheduleStore.toInstant(row[5])) : Optional.empty(),
                Optional.ofNullable((Number) row[6]).map(Number::intValue),
                Optional.ofNullable((String) row[7]).map(LosslessText::decode),
                Optional.ofNullable(row[8]).map(JpaScheduleStore::toInstant));
    }

    @Override
    public Optional<Callback> redeliver(String tenant, ExecutionId execution) {
        return database.write(tenant, session -> {
            JpaBatchStore.nativeQuery(
                            session, CallbackStatements.REDELIVER, execution.value(), LosslessText.encode(tenant))
                    .executeUpdate();
            return find(session, tenant, execution);
        });
    }

    @Override
    public List<ExecutionId> markEndedDue(int limit) {
        return database.write(session -> {
            JpaBatchStore.nativeQuery(session, CallbackStatements.MARK_DUE, limit)
                    .executeUpdate();
            List<?> left = JpaBatchStore.nativeQuery(session, CallbackStatements.OVERDUE_WAITING, limit)
                    .getResultList();
            if (!left.isEmpty()) {
                JpaBatchStore.nativeQuery(session, CallbackStatements.POSTPONE_CHECK)
                        .executeUpdate();
            }
            return left.stream()
                    .map(id -> new ExecutionId(JpaBatchStore.uuid(id)))
                    .toList();
        });
    }

    @Override
    public void requestCheck(ExecutionId execution) {
        database.write(session -> JpaBatchStore.nativeQuery(session, CallbackStatements.CHECK_NOW, execution.value())
                .executeUpdate());
    }

    @Override
    public Optional<CallbackDelivery> claimDue(Duration time, Set<String> hosts, Set<String> tenants) {
        List<Object> parameters = new ArrayList<>();
        String more = notInCondition("host", hosts, parameters) + notInCondition("tenant", tenants, parameters);
        return database.write(session -> {
            List<@Nullable Object[]> due =
                    JpaBatchStore.selectRows(session, CallbackStatements.DUE.formatted(more), parameters.toArray());
            if (due.isEmpty()) {
                return Optional.empty();
            }
            @Nullable Object[] row = due.get(0);
            UUID id = JpaBatchStore.uuid(row[0]);
            JpaBatchStore.nativeQuery(session, CallbackStatements.CLAIM, id, time.toMillis())
                    .executeUpdate();
            return Optional.of(new CallbackDelivery(
                    new ExecutionId(id),
                    LosslessText.decode(JpaBatchStore.text(row[1])),
                    LosslessText.decode(JpaBatchStore.text(row[2])),
                    LosslessText.decode(JpaBatchStore.text(row[3])),
                    JpaBatchStore.number(row[4]) + 1,
                    JpaScheduleStore.toInstant(row[5]),
                    JpaScheduleStore.toInstant(row[6])));
        });
    }

    private static String notInCondition(String column, Set<String> values, List<Object> parameters) {
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
    public boolean markDelivered(CallbackDelivery delivery, CallbackAttemptResult attempt) {
        return database.write(session -> JpaBatchStore.nativeQuery(
                                session,
                                CallbackStatements.MARK_DELIVERED,
                                delivery.execution().value(),
                                delivery.attempt(),
                                attempt.status().orElse(0))
                        .executeUpdate()
                == 1);
    }

    @Override
    public boolean markFailed(CallbackDelivery delivery, CallbackAttemptResult attempt, Optional<Duration> wait) {
        String failure = attempt.failure().orElse("");
        List<Object> parameters = new ArrayList<>(List.of(
                delivery.execution().value(),
                delivery.attempt(),
                attempt.status().orElse(0),
                LosslessText.encode(
                        failure.length() > MAX_FAILURE_LENGTH ? failure.substring(0, MAX_FAILURE_LENGTH) : failure)));
        wait.ifPresent(time -> parameters.add(time.toMillis()));
        return database.write(session -> JpaBatchStore.nativeQuery(
                                session,
                                wait.isPresent() ? CallbackStatements.SCHEDULE_RETRY : CallbackStatements.MARK_FAILED,
                                parameters.toArray())
                        .executeUpdate()
                == 1);
    }

    @Override
    public Optional<SigningSalt> findSalt(String tenant) {
        return database.read(
                tenant,
                session ->
                        JpaBatchStore.selectRows(session, CallbackStatements.FIND_SALT, LosslessText.encode(tenant))
                                .stream()
                                .findFirst()
                                .map(row -> new SigningSalt(
                                        JpaBatchStore.text(row[0]),
                                        JpaBatchStore.text(row[1]),
                                        Optional.ofNullable((String) row[2]))));
    }

    @Override
    public void replaceSalt(String tenant, String salt, String fingerprint, Duration overlap) {
        String whose = LosslessText.encode(tenant);
        database.writeWithDuplicateRetry(tenant, session -> {
            int renewed = JpaBatchStore.nativeQuery(
                            session, CallbackStatements.ROTATE_SALT, whose, salt, fingerprint, overlap.toMillis())
                    .executeUpdate();
            return renewed == 1
                    ? renewed
                    : JpaBatchStore.nativeQuery(session, CallbackStatements.INSERT_SALT, whose, salt, fingerprint)
                            .executeUpdate();
        });
    }
}
