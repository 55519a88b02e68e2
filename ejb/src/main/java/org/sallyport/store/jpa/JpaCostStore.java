package org.sallyport.store.jpa;

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
import org.sallyport.execution.FencingToken;
import org.sallyport.policy.Budget;
import org.sallyport.policy.CallCharge;
import org.sallyport.policy.CostReportLine;
import org.sallyport.policy.CostStore;

/**
 * Stores the costs of calls in the database. Each charge and each refund locks the row of its execution, then the rows
 * of the ancestors, from the inside out, and then the tenant's total of the month. The charges of one tenant are
 * therefore serialized, and no transactions wait for each other in a cycle. Thread-safe.
 */
public final class JpaCostStore implements CostStore {
    /** Budget key of the totals of the tenant as a whole: no API key has this id. */
    private static final String WHOLE_TENANT = "";

    /** Cost reports go no further back. */
    private static final int RETENTION_DAYS = 400;

    private static final int MAX_DEPTH = 100;

    private static final String LOCK_OWNED_EXECUTION = """
            select tenant, submitter, cost, parent, current_timestamp from execution
            where id = ?1 and attempt = ?2 and state = 'RUNNING' for update
            """;

    private static final String LOCK_EXECUTION =
            "select tenant, submitter, cost, parent, current_timestamp from execution where id = ?1 for update";

    private static final String FIND_CHARGE =
            "select attempt from call_cost where execution_id = ?1 and call_ordinal = ?2";

    private static final String UPDATE_CHARGE_ATTEMPT =
            "update call_cost set attempt = ?3 where execution_id = ?1 and call_ordinal = ?2";

    private static final String LOCK_MONTH_TOTAL =
            "select cost from cost_total where tenant = ?1 and budget_key = '' and period = ?2 for update";

    private static final String SELECT_TOTALS = """
            select budget_key, period, cost from cost_total
            where tenant = ?1 and budget_key in ('', ?2) and period in (?3, ?4)
            """;

    private static final String ADD_TOTALS = """
            update cost_total set cost = greatest(0, least(cost + ?5, 4000000000000000000))
            where tenant = ?1 and budget_key in ('', ?2) and period in (?3, ?4)
            """;

    private static final String INSERT_TOTAL =
            "insert into cost_total (tenant, budget_key, period, cost, ends_at) values (?1, ?2, ?3, 0,"
                    + " cast(?4 as timestamp with time zone))";

    private static final String DELETE_OLD_TOTALS =
            "delete from cost_total where tenant = ?1 and ends_at < current_timestamp - interval '1' day";

    private static final String DELETE_OLD_DAYS = "delete from cost_day where tenant = ?1 and on_day < ?2";

    private static final String ADD_EXECUTION =
            "update execution set cost = greatest(0, least(coalesce(cost, 0) + ?2, 4000000000000000000)) where id = ?1";

    private static final String ADD_DAY = """
            update cost_day set cost = greatest(0, least(cost + ?5, 4000000000000000000)), calls = calls + ?6
            where tenant = ?1 and on_day = ?2 and submitter = ?3 and tool = ?4
            """;

    private static final String INSERT_DAY = """
            insert into cost_day (tenant, on_day, submitter, tool, cost, calls) values (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    private static final String INSERT_CHARGE = """
            insert into call_cost (execution_id, call_ordinal, attempt, tool, cost, on_day) values (?1, ?2, ?3, ?4, \
            ?5, ?6)
            """;

    private static final String FIND_CHARGE_TO_REFUND = """
            select cost, on_day, tool from call_cost where execution_id = ?1 and call_ordinal = ?2 and attempt = ?3
            """;

    private static final String DELETE_CHARGE = "delete from call_cost where execution_id = ?1 and call_ordinal = ?2";

    private final Database database;

    public JpaCostStore(Database database) {
        this.database = database;
    }

    /**
     * Owner and payers of a call.
     *
     * @param tenant in its stored form
     * @param key id of the API key, in its stored form
     * @param executionChain the executions that pay for the call: its own first, the outermost last
     * @param outermostCost cost of the outermost execution so far
     * @param now the database's time
     */
    private record ChargeContext(
            String tenant, String key, List<UUID> executionChain, Cost outermostCost, Instant now) {
        LocalDate today() {
            return LocalDate.ofInstant(now, ZoneOffset.UTC);
        }
    }

    @Override
    public ChargeResult charge(CallCharge charge, List<Budget> budgets) {
        return database.writeWithDuplicateRetry(session -> charge(session, charge, budgets));
    }

    private static ChargeResult charge(EntityManager session, CallCharge charge, List<Budget> budgets) {
        UUID id = charge.fence().id().value();
        Optional<ChargeContext> held = lockChargeContext(
                session,
                JpaBatchStore.selectRows(
                        session, LOCK_OWNED_EXECUTION, id, charge.fence().attempt()),
                id);
        if (held.isEmpty()) {
            return new ChargeResult.ExecutionNotOwned();
        }
        if (!JpaBatchStore.nativeQuery(session, FIND_CHARGE, id, charge.call())
                .getResultList()
                .isEmpty()) {
            JpaBatchStore.nativeQuery(
                            session,
                            UPDATE_CHARGE_ATTEMPT,
                            id,
                            charge.call(),
                            charge.fence().attempt())
                    .executeUpdate();
            return new ChargeResult.CallCharged();
        }
        ChargeContext payer = held.get();
        BudgetTotals totals = new BudgetTotals(session, payer);
        for (Budget budget : budgets) {
            Cost used = totals.used(budget);
            if (totals.appliesTo(budget) && used.plus(charge.cost()).compareTo(budget.maxCost()) > 0) {
                return new ChargeResult.BudgetExceeded(
                        budget, budget.maxCost().minus(used), nextPeriodStart(budget, payer.today()));
            }
        }
        String tool = LosslessText.encode(charge.tool().toString());
        totals.insertMissing();
        addCost(session, payer, payer.today().toString(), tool, charge.cost().micros(), 1);
        JpaBatchStore.nativeQuery(
                        session,
                        INSERT_CHARGE,
                        id,
                        charge.call(),
                        charge.fence().attempt(),
                        tool,
                        charge.cost().micros(),
                        payer.today().toString())
                .executeUpdate();
        return new ChargeResult.CallCharged();
    }

    private static Optional<ChargeContext> lockChargeContext(
            EntityManager session, List<@Nullable Object[]> rows, UUID id) {
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        @Nullable Object[] own = rows.get(0);
        List<UUID> executions = new ArrayList<>(List.of(id));
        @Nullable Object[] last = own;
        while (last[3] != null && executions.size() < MAX_DEPTH) {
            UUID parent = UUID.fromString(JpaBatchStore.text(last[3]));
            List<@Nullable Object[]> above = JpaBatchStore.selectRows(session, LOCK_EXECUTION, parent);
            if (above.isEmpty()) {
                break;
            }
            executions.add(parent);
            last = above.get(0);
        }
        return Optional.of(new ChargeContext(
                JpaBatchStore.text(own[0]),
                JpaBatchStore.text(own[1]),
                executions,
                toCost(last[2]),
                ExecutionQueries.toInstant(Objects.requireNonNull(own[4]))));
    }

    /** Used totals of a payer's budgets. The rows stay locked until the transaction ends. */
    private static final class BudgetTotals {
        private final EntityManager session;
        private final ChargeContext payer;
        private final Map<List<String>, Cost> used = new HashMap<>();

        BudgetTotals(EntityManager session, ChargeContext payer) {
            this.session = session;
            this.payer = payer;
            // The lock comes first, in a statement of its own: only a statement that begins after the lock is granted
            // sees all that other transactions have added. The total of the month is locked, because the days on both
            // sides of a midnight share it.
            String month = period(Budget.BudgetPeriod.MONTH);
            if (JpaBatchStore.selectRows(session, LOCK_MONTH_TOTAL, payer.tenant(), month)
                    .isEmpty()) {
                insertTotal(WHOLE_TENANT, Budget.BudgetPeriod.MONTH);
            }
            for (@Nullable Object[] row : JpaBatchStore.selectRows(
                    session,
                    SELECT_TOTALS,
                    payer.tenant(),
                    payer.key(),
                    period(Budget.BudgetPeriod.DAY),
                    period(Budget.BudgetPeriod.MONTH))) {
                used.put(List.of(JpaBatchStore.text(row[0]), JpaBatchStore.text(row[1])), toCost(row[2]));
            }
        }

        private String period(Budget.BudgetPeriod period) {
            LocalDate today = payer.today();
            return period == Budget.BudgetPeriod.DAY
                    ? today.toString()
                    : YearMonth.from(today).toString();
        }

        boolean appliesTo(Budget budget) {
            return budget.keyIds().isEmpty() || budget.keyIds().contains(LosslessText.decode(payer.key()));
        }

        Cost used(Budget budget) {
            if (budget.scope() == Budget.BudgetScope.EXECUTION) {
                return payer.outermostCost();
            }
            String budgetKey = budget.scope() == Budget.BudgetScope.KEY ? payer.key() : WHOLE_TENANT;
            String period = period(budget.period().orElse(Budget.BudgetPeriod.DAY));
            return used.getOrDefault(List.of(budgetKey, period), Cost.ZERO);
        }

        void insertMissing() {
            for (String budgetKey : List.of(WHOLE_TENANT, payer.key())) {
                for (Budget.BudgetPeriod period : Budget.BudgetPeriod.values()) {
                    if (!used.containsKey(List.of(budgetKey, period(period)))) {
                        insertTotal(budgetKey, period);
                    }
                }
            }
        }

        private void insertTotal(String budgetKey, Budget.BudgetPeriod period) {
            LocalDate end = periodEnd(period, payer.today());
            JpaBatchStore.nativeQuery(
                            session, INSERT_TOTAL, payer.tenant(), budgetKey, period(period), end + " 00:00:00+00:00")
                    .executeUpdate();
            if (budgetKey.equals(WHOLE_TENANT) && period == Budget.BudgetPeriod.DAY) {
                // Runs once a day for each tenant: later charges do not need totals of periods that are over.
                JpaBatchStore.nativeQuery(session, DELETE_OLD_TOTALS, payer.tenant())
                        .executeUpdate();
                JpaBatchStore.nativeQuery(
                                session,
                                DELETE_OLD_DAYS,
                                payer.tenant(),
                                payer.today().minusDays(RETENTION_DAYS).toString())
                        .executeUpdate();
            }
        }
    }

    private static String month(String day) {
        return day.substring(0, 7);
    }

    /** Returns the first day after the period that contains {@code day}. */
    private static LocalDate periodEnd(Budget.BudgetPeriod period, LocalDate day) {
        return period == Budget.BudgetPeriod.DAY
                ? day.plusDays(1)
                : day.withDayOfMonth(1).plusMonths(1);
    }

    private static Optional<Instant> nextPeriodStart(Budget budget, LocalDate today) {
        return budget.period()
                .filter(any -> budget.scope() != Budget.BudgetScope.EXECUTION)
                .map(period ->
                        periodEnd(period, today).atStartOfDay(ZoneOffset.UTC).toInstant());
    }

    /** @param micros negative for a refund */
    private static void addCost(
            EntityManager session, ChargeContext payer, String day, String tool, long micros, int calls) {
        for (UUID execution : payer.executionChain()) {
            JpaBatchStore.nativeQuery(session, ADD_EXECUTION, execution, micros).executeUpdate();
        }
        JpaBatchStore.nativeQuery(session, ADD_TOTALS, payer.tenant(), payer.key(), day, month(day), micros)
                .executeUpdate();
        if (JpaBatchStore.nativeQuery(session, ADD_DAY, payer.tenant(), day, payer.key(), tool, micros, calls)
                                .executeUpdate()
                        == 0
                && calls > 0) {
            JpaBatchStore.nativeQuery(session, INSERT_DAY, payer.tenant(), day, payer.key(), tool, micros, calls)
                    .executeUpdate();
        }
    }

    private static Cost toCost(@Nullable Object stored) {
        return stored == null ? Cost.ZERO : new Cost(((Number) stored).longValue());
    }

    @Override
    public void refund(FencingToken fence, long call) {
        database.write(session -> {
            UUID id = fence.id().value();
            // Same lock order as a charge: the executions first.
            Optional<ChargeContext> payer =
                    lockChargeContext(session, JpaBatchStore.selectRows(session, LOCK_EXECUTION, id), id);
            List<@Nullable Object[]> charged =
                    JpaBatchStore.selectRows(session, FIND_CHARGE_TO_REFUND, id, call, fence.attempt());
            if (payer.isPresent() && !charged.isEmpty()) {
                @Nullable Object[] row = charged.get(0);
                JpaBatchStore.selectRows(
                        session, LOCK_MONTH_TOTAL, payer.get().tenant(), month(JpaBatchStore.text(row[1])));
                JpaBatchStore.nativeQuery(session, DELETE_CHARGE, id, call).executeUpdate();
                addCost(
                        session,
                        payer.get(),
                        JpaBatchStore.text(row[1]),
                        JpaBatchStore.text(row[2]),
                        -toCost(row[0]).micros(),
                        -1);
            }
            return payer;
        });
    }

    @Override
    public List<CostReportLine> report(
            Optional<String> tenant, LocalDate since, CostReportLine.CostGrouping by, int limit) {
        String column = switch (by) {
            case TOOL -> "tool";
            case KEY -> "submitter";
            case TENANT -> "tenant";
            case DAY -> "on_day";
        };
        String statement = "select " + column
                + ", least(sum(cost), 4000000000000000000), sum(calls) from cost_day where on_day >= ?1"
                + (tenant.isPresent() ? " and tenant = ?3" : "") + " group by " + column + " having sum(calls) > 0"
                + " order by " + (by == CostReportLine.CostGrouping.DAY ? "1" : "2 desc, 1") + " limit ?2";
        Object[] parameters = tenant.isPresent()
                ? new Object[] {since.toString(), limit, LosslessText.encode(tenant.get())}
                : new Object[] {since.toString(), limit};
        return database.read(session -> JpaBatchStore.selectRows(session, statement, parameters).stream()
                .map(row -> new CostReportLine(
                        LosslessText.decode(JpaBatchStore.text(row[0])),
                        toCost(row[1]),
                        toCost(row[2]).micros()))
                .toList());
    }
}
