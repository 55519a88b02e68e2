package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Cost;
import org.sallyport.quota.TenantStore;
import org.sallyport.quota.TenantUsage;

/**
 * Lists tenants and their usage from their stored rows. Each tenant name is found as the next one in indexes that begin
 * with the tenant: reading all rows for the few names in them would take time in proportion to the number of rows.
 * Thread-safe.
 */
public final class JpaTenantStore implements TenantStore {
    static final String NEXT_TENANT = Stream.of(
                    "api_key",
                    "execution",
                    "schedule",
                    "capability",
                    "secret",
                    "policy",
                    "tenant_quota",
                    "cost_day",
                    "audit_entry")
            .map(table -> "(select tenant from " + table + " where tenant > ?1 order by tenant limit 1)")
            .collect(Collectors.joining(" union all ", "select tenant from (", ") t order by tenant limit 1"));

    private static final String NOW = "select current_timestamp";

    // One subquery per state: for a list of states H2 would read all executions of a tenant.
    static final String TENANT_USAGE = "select " + countExecutions("PENDING") + ", " + countExecutions("RUNNING") + ", "
            + countExecutions("WAITING") + """
            , (select count(*) from api_key where tenant = ?1), (select count(*) from tenant_quota where tenant = ?1),
            (select least(coalesce(sum(cost), 0), 1000000000000000000) from cost_day where tenant = ?1 and on_day >= \
            ?2),
            (select coalesce(sum(calls), 0) from cost_day where tenant = ?1 and on_day >= ?2)
            """;

    private final Database database;

    public JpaTenantStore(Database database) {
        this.database = database;
    }

    private static String countExecutions(String state) {
        return "(select count(*) from execution where tenant = ?1 and state = '" + state + "')";
    }

    @Override
    public List<TenantUsage> listTenants(String after, int maxTenants) {
        return database.read(session -> {
            String month = month(session);
            List<TenantUsage> page = new ArrayList<>();
            String last = LosslessText.encode(after);
            while (page.size() < maxTenants) {
                List<?> next =
                        JpaBatchStore.nativeQuery(session, NEXT_TENANT, last).getResultList();
                if (next.isEmpty()) {
                    break;
                }
                last = JpaBatchStore.text(next.get(0));
                page.add(readUsage(session, last, month));
            }
            return page;
        });
    }

    /** Returns the first day of the current month in UTC, by the database's clock. */
    private static String month(EntityManager session) {
        Object now = JpaBatchStore.nativeQuery(session, NOW).getResultList().get(0);
        return LocalDate.ofInstant(ExecutionQueries.toInstant(Objects.requireNonNull(now)), ZoneOffset.UTC)
                .withDayOfMonth(1)
                .toString();
    }

    private static TenantUsage readUsage(EntityManager session, String tenant, String month) {
        @Nullable Object[] row =
                JpaBatchStore.selectRows(session, TENANT_USAGE, tenant, month).get(0);
        long queued = number(row[0]);
        return new TenantUsage(
                LosslessText.decode(tenant),
                queued,
                queued + number(row[1]) + number(row[2]),
                number(row[3]),
                number(row[4]) > 0,
                new Cost(Math.max(0, number(row[5]))),
                number(row[6]));
    }

    private static long number(@Nullable Object value) {
        return ((Number) Objects.requireNonNull(value)).longValue();
    }
}
