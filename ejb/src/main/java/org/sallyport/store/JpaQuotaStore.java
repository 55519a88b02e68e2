package org.sallyport.store;

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
import org.sallyport.quota.Quota;
import org.sallyport.quota.QuotaStore;

/** Quotas in the database, and what counts against them. */
public final class JpaQuotaStore implements QuotaStore {
    private static final String OF = "select quota, most from tenant_quota where tenant = ?1";
    private static final String FORGET = "delete from tenant_quota where tenant = ?1";
    private static final String SET = """
            insert into tenant_quota (tenant, quota, most, set_by, set_at) values (?1, ?2, ?3, ?4, current_timestamp)
            """;
    private static final String BYTES = """
            select coalesce(sum(a.size_bytes), 0) from artifact a join execution e on e.id = a.execution_id where e.tenant = ?1
            """;
    private static final String NOW = "select current_timestamp";
    private static final String CALLS = "select calls from call_count where tenant = ?1 and on_day = ?2";
    private static final String HELD = CALLS + " for update";
    private static final String ADD = "update call_count set calls = calls + ?3 where tenant = ?1 and on_day = ?2";
    private static final String FIRST = "insert into call_count (tenant, on_day, calls) values (?1, ?2, ?3)";
    private static final String FORGET_DAYS = "delete from call_count where tenant = ?1 and on_day < ?2";

    private final Database database;

    public JpaQuotaStore(Database database) {
        this.database = database;
    }

    @Override
    public Map<Quota, Long> of(String tenant) {
        Map<Quota, Long> quotas = new EnumMap<>(Quota.class);
        for (@Nullable Object[] row : database.read(tenant, session -> JpaBatchStore.rows(session, OF, LosslessText.encode(tenant)))) {
            Quota.of(JpaBatchStore.text(row[0])).ifPresent(quota -> quotas.put(quota, number(row[1])));
        }
        return quotas;
    }

    @Override
    public void set(String tenant, Map<Quota, Long> quotas, String by) {
        database.writeAgainIfDuplicate(tenant, session -> {
            String whose = LosslessText.encode(tenant);
            JpaBatchStore.query(session, FORGET, whose).executeUpdate();
            quotas.forEach((quota, most) -> JpaBatchStore.query(
                            session, SET, whose, quota.word(), most, LosslessText.encode(by))
                    .executeUpdate());
            return quotas;
        });
    }

    @Override
    public long storedBytes(String tenant) {
        return database.read(session -> count(session, BYTES, tenant));
    }

    private static long count(EntityManager session, String statement, String tenant) {
        return number(JpaBatchStore.query(session, statement, LosslessText.encode(tenant))
                .getResultList()
                .get(0));
    }

    @Override
    public long calls(String tenant) {
        return database.read(session -> {
            String day = day(now(session)).toString();
            List<?> found = JpaBatchStore.query(session, CALLS, LosslessText.encode(tenant), day)
                    .getResultList();
            return found.isEmpty() ? 0L : number(found.get(0));
        });
    }

    @Override
    public Slice takeCalls(String tenant, long wanted, long most) {
        return database.writeAgainIfDuplicate(session -> {
            String whose = LosslessText.encode(tenant);
            Instant now = now(session);
            LocalDate day = day(now);
            List<?> found =
                    JpaBatchStore.query(session, HELD, whose, day.toString()).getResultList();
            long calls = Math.max(0, Math.min(wanted, most - (found.isEmpty() ? 0 : number(found.get(0)))));
            if (found.isEmpty()) {
                JpaBatchStore.query(session, FORGET_DAYS, whose, day.toString()).executeUpdate();
                JpaBatchStore.query(session, FIRST, whose, day.toString(), calls)
                        .executeUpdate();
            } else if (calls > 0) {
                JpaBatchStore.query(session, ADD, whose, day.toString(), calls).executeUpdate();
            }
            Instant end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
            return new Slice(calls, end, Duration.between(now, end));
        });
    }

    private static Instant now(EntityManager session) {
        return ExecutionQueries.instant(Objects.requireNonNull(
                JpaBatchStore.query(session, NOW).getResultList().get(0)));
    }

    private static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    private static long number(@Nullable Object value) {
        return ((Number) Objects.requireNonNull(value)).longValue();
    }
}
