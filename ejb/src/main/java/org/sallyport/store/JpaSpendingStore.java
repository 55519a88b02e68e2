package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Cost;
import org.sallyport.execution.Fence;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Charge;
import org.sallyport.policy.SpendingStore;
import org.sallyport.policy.Spent;

/**
 * What calls cost, in the database. Whoever charges, or takes a charge back, first locks the rows of its execution and of those above it, from
 * below, then the total of its tenant's month: all of a tenant come one after the other, and none waits for another in a circle.
 */
public final class JpaSpendingStore implements SpendingStore {
    /** Of a tenant as a whole: no key has this id. */
    private static final String ALL = "";

    /** Reports go no further back. */
    private static final int DAYS_KEPT = 400;

    private static final int DEEPEST = 100;

    private static final String HELD = """
            select tenant, submitter, cost, parent, current_timestamp from execution
            where id = ?1 and attempt = ?2 and state = 'RUNNING' for update
            """;

    private static final String EXECUTION =
            "select tenant, submitter, cost, parent, current_timestamp from execution where id = ?1 for update";

    private static final String CHARGED = "select attempt from call_cost where execution_id = ?1 and call_ordinal = ?2";

    private static final String TAKE_OVER =
            "update call_cost set attempt = ?3 where execution_id = ?1 and call_ordinal = ?2";

    private static final String LOCK =
            "select cost from cost_total where tenant = ?1 and holder = '' and period = ?2 for update";

    private static final String TOTALS = """
            select holder, period, cost from cost_total
            where tenant = ?1 and holder in ('', ?2) and period in (?3, ?4)
            """;

    private static final String ADD_TOTALS = """
            update cost_total set cost = greatest(0, least(cost + ?5, 4000000000000000000))
            where tenant = ?1 and holder in ('', ?2) and period in (?3, ?4)
            """;

    private static final String NEW_TOTAL =
            "insert into cost_total (tenant, holder, period, cost, ends_at) values (?1, ?2, ?3, 0,"
                    + " cast(?4 as timestamp with time zone))";

    private static final String FORGET_TOTALS =
            "delete from cost_total where tenant = ?1 and ends_at < current_timestamp - interval '1' day";

    private static final String FORGET_DAYS = "delete from cost_day where tenant = ?1 and on_day < ?2";

    private static final String ADD_EXECUTION =
            "update execution set cost = greatest(0, least(coalesce(cost, 0) + ?2, 4000000000000000000)) where id = ?1";

    private static final String ADD_DAY = """
            update cost_day set cost = greatest(0, least(cost + ?5, 4000000000000000000)), calls = calls + ?6
            where tenant = ?1 and on_day = ?2 and submitter = ?3 and tool = ?4
            """;

    private static final String NEW_DAY = """
            insert into cost_day (tenant, on_day, submitter, tool, cost, calls) values (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    private static final String NEW_CALL = """
            insert into call_cost (execution_id, call_ordinal, attempt, tool, cost, on_day) values (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    private static final String REFUNDED = """
            select cost, on_day, tool from call_cost where execution_id = ?1 and call_ordinal = ?2 and attempt = ?3
            """;

    private static final String FORGET_CALL = "delete from call_cost where execution_id = ?1 and call_ordinal = ?2";

    private final Database database;

    public JpaSpendingStore(Database database) {
        this.database = database;
    }

    /** Whose a call is, as it is stored, and what those cost that pay for it: its execution first, the outermost last. */
    private record Payer(String tenant, String key, List<UUID> executions, Cost outermost, Instant now) {
        LocalDate today() {
            return LocalDate.ofInstant(now, ZoneOffset.UTC);
        }
    }

    @Override
    public Answer charge(Charge charge, List<Budget> budgets) {
        return database.writeAgainIfDuplicate(session -> charge(session, charge, budgets));
    }

    private static Answer charge(EntityManager session, Charge charge, List<Budget> budgets) {
        UUID id = charge.fence().id().value();
        Optional<Payer> held = payer(
                session, JpaBatchStore.rows(session, HELD, id, charge.fence().attempt()), id);
        if (held.isEmpty()) {
            return new Answer.NotHeld();
        }
        if (!JpaBatchStore.query(session, CHARGED, id, charge.call())
                .getResultList()
                .isEmpty()) {
            JpaBatchStore.query(
                            session,
                            TAKE_OVER,
                            id,
                            charge.call(),
                            charge.fence().attempt())
                    .executeUpdate();
            return new Answer.Charged();
        }
        Payer payer = held.get();
        Totals totals = new Totals(session, payer);
        for (Budget budget : budgets) {
            Cost used = totals.used(budget);
            if (totals.holds(budget) && used.plus(charge.cost()).compareTo(budget.most()) > 0) {
                return new Answer.Exceeded(budget, budget.most().minus(used), renewal(budget, payer.today()));
            }
        }
        String tool = LosslessText.encode(charge.tool().toString());
        totals.addMissing();
        add(session, payer, payer.today().toString(), tool, charge.cost().micros(), 1);
        JpaBatchStore.query(
                        session,
                        NEW_CALL,
                        id,
                        charge.call(),
                        charge.fence().attempt(),
                        tool,
                        charge.cost().micros(),
                        payer.today().toString())
                .executeUpdate();
        return new Answer.Charged();
    }

    private static Optional<Payer> payer(EntityManager session, List<@Nullable Object[]> rows, UUID id) {
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        @Nullable Object[] own = rows.get(0);
        List<UUID> executions = new ArrayList<>(List.of(id));
        @Nullable Object[] last = own;
        while (last[3] != null && executions.size() < DEEPEST) {
            UUID parent = UUID.fromString(JpaBatchStore.text(last[3]));
            List<@Nullable Object[]> above = JpaBatchStore.rows(session, EXECUTION, parent);
            if (above.isEmpty()) {
                break;
            }
            executions.add(parent);
            last = above.get(0);
        }
        return Optional.of(new Payer(
                JpaBatchStore.text(own[0]),
                JpaBatchStore.text(own[1]),
                executions,
                cost(last[2]),
                ExecutionQueries.instant(Objects.requireNonNull(own[4]))));
    }

    /** How much of a payer's budgets is used; locked. */
    private static final class Totals {
        private final EntityManager session;
        private final Payer payer;
        private final Map<List<String>, Cost> used = new HashMap<>();

        Totals(EntityManager session, Payer payer) {
            this.session = session;
            this.payer = payer;
            // First and alone: only a statement that begins after it sees all that others have added.
            // The month's, which days on both sides of a midnight share.
            String month = period(Budget.Period.MONTH);
            if (JpaBatchStore.rows(session, LOCK, payer.tenant(), month).isEmpty()) {
                add(ALL, Budget.Period.MONTH);
            }
            for (@Nullable Object[] row : JpaBatchStore.rows(
                    session,
                    TOTALS,
                    payer.tenant(),
                    payer.key(),
                    period(Budget.Period.DAY),
                    period(Budget.Period.MONTH))) {
                used.put(List.of(JpaBatchStore.text(row[0]), JpaBatchStore.text(row[1])), cost(row[2]));
            }
        }

        private String period(Budget.Period period) {
            LocalDate today = payer.today();
            return period == Budget.Period.DAY
                    ? today.toString()
                    : YearMonth.from(today).toString();
        }

        boolean holds(Budget budget) {
            return budget.keys().isEmpty() || budget.keys().contains(LosslessText.decode(payer.key()));
        }

        Cost used(Budget budget) {
            if (budget.of() == Budget.Of.EXECUTION) {
                return payer.outermost();
            }
            String holder = budget.of() == Budget.Of.KEY ? payer.key() : ALL;
            String period = period(budget.per().orElse(Budget.Period.DAY));
            return used.getOrDefault(List.of(holder, period), Cost.ZERO);
        }

        void addMissing() {
            for (String holder : List.of(ALL, payer.key())) {
                for (Budget.Period period : Budget.Period.values()) {
                    if (!used.containsKey(List.of(holder, period(period)))) {
                        add(holder, period);
                    }
                }
            }
        }

        private void add(String holder, Budget.Period period) {
            LocalDate end = end(period, payer.today());
            JpaBatchStore.query(session, NEW_TOTAL, payer.tenant(), holder, period(period), end + " 00:00:00+00:00")
                    .executeUpdate();
            if (holder.equals(ALL) && period == Budget.Period.DAY) {
                // Once a day: what is over is not asked for again.
                JpaBatchStore.query(session, FORGET_TOTALS, payer.tenant()).executeUpdate();
                JpaBatchStore.query(
                                session,
                                FORGET_DAYS,
                                payer.tenant(),
                                payer.today().minusDays(DAYS_KEPT).toString())
                        .executeUpdate();
            }
        }
    }

    private static String month(String day) {
        return day.substring(0, 7);
    }

    /** The first day after it. */
    private static LocalDate end(Budget.Period period, LocalDate day) {
        return period == Budget.Period.DAY
                ? day.plusDays(1)
                : day.withDayOfMonth(1).plusMonths(1);
    }

    private static Optional<Instant> renewal(Budget budget, LocalDate today) {
        return budget.per()
                .filter(any -> budget.of() != Budget.Of.EXECUTION)
                .map(period -> end(period, today).atStartOfDay(ZoneOffset.UTC).toInstant());
    }

    /** @param micros less than nothing when it is taken back */
    private static void add(EntityManager session, Payer payer, String day, String tool, long micros, int calls) {
        for (UUID execution : payer.executions()) {
            JpaBatchStore.query(session, ADD_EXECUTION, execution, micros).executeUpdate();
        }
        JpaBatchStore.query(session, ADD_TOTALS, payer.tenant(), payer.key(), day, month(day), micros)
                .executeUpdate();
        if (JpaBatchStore.query(session, ADD_DAY, payer.tenant(), day, payer.key(), tool, micros, calls)
                                .executeUpdate()
                        == 0
                && calls > 0) {
            JpaBatchStore.query(session, NEW_DAY, payer.tenant(), day, payer.key(), tool, micros, calls)
                    .executeUpdate();
        }
    }

    private static Cost cost(@Nullable Object stored) {
        return stored == null ? Cost.ZERO : new Cost(((Number) stored).longValue());
    }

    @Override
    public void refund(Fence fence, long call) {
        database.write(session -> {
            UUID id = fence.id().value();
            // In the order of charges: first the execution.
            Optional<Payer> payer = payer(session, JpaBatchStore.rows(session, EXECUTION, id), id);
            List<@Nullable Object[]> charged = JpaBatchStore.rows(session, REFUNDED, id, call, fence.attempt());
            if (payer.isPresent() && !charged.isEmpty()) {
                @Nullable Object[] row = charged.get(0);
                JpaBatchStore.rows(session, LOCK, payer.get().tenant(), month(JpaBatchStore.text(row[1])));
                JpaBatchStore.query(session, FORGET_CALL, id, call).executeUpdate();
                add(
                        session,
                        payer.get(),
                        JpaBatchStore.text(row[1]),
                        JpaBatchStore.text(row[2]),
                        -cost(row[0]).micros(),
                        -1);
            }
            return payer;
        });
    }

    @Override
    public List<Spent> report(Optional<String> tenant, LocalDate since, Spent.By by, int limit) {
        String column = switch (by) {
            case TOOL -> "tool";
            case KEY -> "submitter";
            case TENANT -> "tenant";
            case DAY -> "on_day";
        };
        String statement = "select " + column
                + ", least(sum(cost), 4000000000000000000), sum(calls) from cost_day where on_day >= ?1"
                + (tenant.isPresent() ? " and tenant = ?3" : "") + " group by " + column + " having sum(calls) > 0"
                + " order by " + (by == Spent.By.DAY ? "1" : "2 desc, 1") + " limit ?2";
        Object[] parameters = tenant.isPresent()
                ? new Object[] {since.toString(), limit, LosslessText.encode(tenant.get())}
                : new Object[] {since.toString(), limit};
        return database.read(session -> JpaBatchStore.rows(session, statement, parameters).stream()
                .map(row -> new Spent(
                        LosslessText.decode(JpaBatchStore.text(row[0])),
                        cost(row[1]),
                        cost(row[2]).micros()))
                .toList());
    }
}
