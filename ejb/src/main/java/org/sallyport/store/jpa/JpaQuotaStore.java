package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaType;

/** Stores quotas in the database and measures the usage that counts against them. Thread-safe. */
public final class JpaQuotaStore implements QuotaStore {
    private static final String SELECT_QUOTAS = "select quota, max_value from tenant_quota where tenant = ?1";
    private static final String DELETE_QUOTAS = "delete from tenant_quota where tenant = ?1";
    private static final String INSERT_QUOTA = """
            insert into tenant_quota (tenant, quota, max_value, set_by, set_at)
            values (?1, ?2, ?3, ?4, current_timestamp)
            """;
    private static final String SUM_ARTIFACT_BYTES = """
            select coalesce(sum(a.size_bytes), 0) from artifact a join execution e on e.id = a.execution_id where \
            e.tenant = ?1
            """;
    private static final String SUM_JOURNAL_BYTES =
            "select coalesce(sum(journal_bytes), 0) from execution where tenant = ?1";
    private static final String NOW = "select current_timestamp";
    private static final String SELECT_CALLS = "select calls from call_count where tenant = ?1 and on_day = ?2";
    private static final String SELECT_CALLS_FOR_UPDATE = SELECT_CALLS + " for update";
    private static final String ADD_CALLS =
            "update call_count set calls = calls + ?3 where tenant = ?1 and on_day = ?2";
    private static final String INSERT_CALLS = "insert into call_count (tenant, on_day, calls) values (?1, ?2, ?3)";
    private static final String DELETE_OLD_DAYS = "delete from call_count where tenant = ?1 and on_day < ?2";

    private final Database database;

    public JpaQuotaStore(Database database) {
        this.database = database;
    }

    @Override
    public Map<QuotaType, Long> findOverrides(String tenant) {
        Map<QuotaType, Long> quotas = new EnumMap<>(QuotaType.class);
        for (@Nullable Object[] row : database.read(
                tenant, session -> JpaBatchStore.selectRows(session, SELECT_QUOTAS, LosslessText.encode(tenant)))) {
            QuotaType.of(JpaBatchStore.text(row[0])).ifPresent(quota -> quotas.put(quota, number(row[1])));
        }
        return quotas;
    }

    @Override
    public void setOverrides(String tenant, Map<QuotaType, Long> quotas, String by) {
        database.writeWithDuplicateRetry(tenant, session -> {
            String whose = LosslessText.encode(tenant);
            JpaBatchStore.nativeQuery(session, DELETE_QUOTAS, whose).executeUpdate();
            quotas.forEach((quota, limit) -> JpaBatchStore.nativeQuery(
                            session, INSERT_QUOTA, whose, quota.label(), limit, LosslessText.encode(by))
                    .executeUpdate());
            return quotas;
        });
    }

    @Override
    public long artifactBytes(String tenant) {
        return database.read(session -> count(session, SUM_ARTIFACT_BYTES, tenant));
    }

    @Override
    public long journalBytes(String tenant) {
        return database.read(session -> count(session, SUM_JOURNAL_BYTES, tenant));
    }

    private static long count(EntityManager session, String statement, String tenant) {
        return number(JpaBatchStore.nativeQuery(session, statement, LosslessText.encode(tenant))
                .getResultList()
                .get(0));
    }

    @Override
    public long callsToday(String tenant) {
        return database.read(session -> {
            String day = day(now(session)).toString();
            List<?> found = JpaBatchStore.nativeQuery(session, SELECT_CALLS, LosslessText.encode(tenant), day)
                    .getResultList();
            return found.isEmpty() ? 0L : number(found.get(0));
        });
    }

    @Override
    public CallSlice takeCalls(String tenant, long wanted, long maxCalls) {
        return database.writeWithDuplicateRetry(session -> {
            String whose = LosslessText.encode(tenant);
            Instant now = now(session);
            LocalDate day = day(now);
            List<?> found = JpaBatchStore.nativeQuery(session, SELECT_CALLS_FOR_UPDATE, whose, day.toString())
                    .getResultList();
            long calls = Math.max(0, Math.min(wanted, maxCalls - (found.isEmpty() ? 0 : number(found.get(0)))));
            if (found.isEmpty()) {
                JpaBatchStore.nativeQuery(session, DELETE_OLD_DAYS, whose, day.toString())
                        .executeUpdate();
                JpaBatchStore.nativeQuery(session, INSERT_CALLS, whose, day.toString(), calls)
                        .executeUpdate();
            } else if (calls > 0) {
                JpaBatchStore.nativeQuery(session, ADD_CALLS, whose, day.toString(), calls)
                        .executeUpdate();
            }
            Instant end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
            return new CallSlice(calls, end, Duration.between(now, end));
        });
    }

    private static Instant now(EntityManager session) {
        return ExecutionQueries.toInstant(Objects.requireNonNull(
                JpaBatchStore.nativeQuery(session, NOW).getResultList().get(0)));
    }

    private static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    private static long number(@Nullable Object value) {
        return ((Number) Objects.requireNonNull(value)).longValue();
    }
}
