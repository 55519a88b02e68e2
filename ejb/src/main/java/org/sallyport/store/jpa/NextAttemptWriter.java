package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.RetryPolicy.RetryStop;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.TraceContext;

/**
 * Writes the execution of the next attempt in the transaction that stores the failure of an execution with a retry
 * policy, or the reason why there is none. The new execution takes over the batch item, the run of the schedule, the
 * callback and the idempotency key of the failed one. Thread-safe.
 */
final class NextAttemptWriter {
    private static final String FIND = """
            select e.retry, e.retry_attempt, e.ends_by, current_timestamp, e.batch_id, i.effects, i.trace_context,
                e.durability, e.attempt
            from execution e join execution_input i on i.execution_id = e.id
            where e.id = ?1 and e.retry is not null
            """;

    private static final String HAS_POLICY = "select id from execution where id = ?1 and retry is not null";

    /** Locks the batch, so that a transaction that stops the batch sees the next attempt, or this one sees the stop. */
    private static final String LOCK_BATCH = "select stop_reason from batch where id = ?1 for update";

    /** Columns that an attempt has in common with the one before it. */
    static final List<String> COPIED_COLUMNS = List.of(
            "tenant",
            "submitter",
            "language",
            "priority",
            "code_preview",
            "labels",
            "wall_millis",
            "tier",
            "durability",
            "rerun_of",
            "rerun_mode",
            "rerun_from",
            "rerun_edited",
            "batch_id",
            "capability",
            "saved_script",
            "schedule_id",
            "ends_by",
            "concurrency_key",
            "retry");

    /** Columns of the input that an attempt has in common with the one before it: all but id, seed, cached result. */
    static final List<String> COPIED_INPUT_COLUMNS = List.of(
            "code",
            "args",
            "context",
            "grants",
            "intent",
            "cpu_millis",
            "heap_bytes",
            "tool_calls",
            "output_chars",
            "debug",
            "output_schema",
            "effects",
            "callback",
            "trace_context",
            "cost_limit",
            "save_as",
            "script",
            "share_reads",
            "further_limits",
            "variables",
            "sandbox");

    /**
     * Parameters: the failed execution as UUID and text (?1, ?2), the new one (?3), its delay (?4), and how long
     * after that delay an unclaimed job counts as overdue (?5), both in milliseconds.
     */
    private static final String INSERT_EXECUTION = """
            insert into execution (id, state, retry_of, retry_first, retry_attempt, awaits_turn, not_before,
                next_check_at, %1$s)
            select cast(?3 as uuid), 'PENDING', cast(?2 as varchar), coalesce(retry_first, cast(?2 as varchar)),
                retry_attempt + 1,
                case when concurrency_key is null then cast(null as boolean) else true end,
                current_timestamp + cast(?4 as bigint) * interval '0.001' second,
                current_timestamp + cast(?4 as bigint) * interval '0.001' second
                    + cast(?5 as bigint) * interval '0.001' second, %1$s
            from execution where id = ?1
            """.formatted(String.join(", ", COPIED_COLUMNS));

    /** Parameters: the failed execution (?1), the new one (?2), its seed (?3). */
    private static final String INSERT_INPUT = """
            insert into execution_input (execution_id, seed, %1$s)
            select cast(?2 as uuid), cast(?3 as varchar), %1$s from execution_input where execution_id = ?1
            """.formatted(String.join(", ", COPIED_INPUT_COLUMNS));

    /** Statements that copy or move rows of the failed execution (?1) to the new one (?2). */
    private static final List<String> TAKE_OVER_ROWS = List.of(
            // All terms except those of called tools.
            """
            insert into execution_term (tenant, term, execution_id)
            select tenant, term, cast(?2 as uuid) from execution_term
            where execution_id = ?1 and substring(term from 1 for 4) <> 'tool'
            """,
            """
            insert into capability_run (execution_id, tenant, name, version)
            select cast(?2 as uuid), tenant, name, version from capability_run where execution_id = ?1
            """,
            """
            insert into result_key (execution_id, tenant, result_key)
            select cast(?2 as uuid), tenant, result_key from result_key where execution_id = ?1
            """,
            // A repeated request finds the last attempt, which is kept for longer than the earlier ones.
            """
            update idempotency_key set execution_id = ?2 where execution_id = ?1
            """,
            """
            update callback set execution_id = ?2, created_at = current_timestamp, next_check_at = current_timestamp
            where execution_id = ?1 and state = 'WAITING'
            """,
            """
            insert into schedule_run (execution_id, schedule_id, at, active)
            select cast(?2 as uuid), schedule_id, at, true from schedule_run where execution_id = ?1
            """,
            """
            update schedule set last_execution = ?2 where last_execution = ?1
                and id = (select r.schedule_id from schedule_run r where r.execution_id = ?1)
            """);

    /** Statements that insert the rows of admission constraints for the new execution (?1). */
    private static final List<String> INSERT_CONSTRAINTS = List.of("""
            insert into concurrency_turn (execution_id, tenant, name, priority, status)
            select id, tenant, concurrency_key, priority, 'NEW' from execution
            where id = ?1 and concurrency_key is not null
            """, """
            insert into execution_alarm (execution_id, kind, at)
            select id, 'START', not_before from execution where id = ?1
            """, """
            insert into execution_alarm (execution_id, kind, at)
            select id, 'END', ends_by from execution where id = ?1 and ends_by is not null
            """);

    private static final String UPDATE_ITEMS =
            "update batch_item set execution_id = ?2 where batch_id = ?3 and execution_id = ?1";

    private static final String SET_NEXT = "update execution set retried_by = ?2 where id = ?1";

    private static final String SET_STOP = "update execution set not_retried = ?2 where id = ?1";

    private final ExecutionIdGenerator ids;
    private final RandomGenerator random;
    private final EffectCheck effects;
    private final long firstCheckMillis;

    /**
     * @param ids generates the ids of executions
     * @param random varies the delays
     * @param changes whether a call of the tool may have changed something
     * @param firstCheck how long after its start time an unclaimed job counts as overdue
     */
    NextAttemptWriter(
            ExecutionIdGenerator ids, RandomGenerator random, Predicate<ToolName> changes, Duration firstCheck) {
        this.ids = ids;
        this.random = random;
        this.effects = new EffectCheck(changes);
        this.firstCheckMillis = firstCheck.toMillis();
    }

    /** Returns whether the execution has a retry policy, which never changes. */
    boolean hasPolicy(EntityManager session, ExecutionId id) {
        return !JpaBatchStore.nativeQuery(session, HAS_POLICY, id.value())
                .getResultList()
                .isEmpty();
    }

    /** Stores why no attempt follows. Runs in the transaction that has set the state of the failed execution. */
    void writeStop(EntityManager session, ExecutionId failed, RetryStop reason) {
        execute(session, SET_STOP, failed.value(), reason.name());
    }

    /**
     * Stores the next attempt of an execution with a retry policy, or why there is none. Runs in the transaction that
     * has set the state of the failed execution. It may wait for the row of a batch and copies the input, so it must
     * not be part of a group commit.
     */
    void write(EntityManager session, ExecutionId failed, ExecutionError error) {
        List<@Nullable Object[]> rows = JpaBatchStore.selectRows(session, FIND, failed.value());
        if (rows.isEmpty()) {
            return;
        }
        @Nullable Object[] row = rows.get(0);
        RetryPolicy policy = RetryPolicy.ofStored(JpaBatchStore.text(row[0]));
        int attempt = JpaBatchStore.number(row[1]);
        Duration delay = policy.delayAfter(attempt, random);
        Optional<UUID> batch = Optional.ofNullable((String) row[4]).map(UUID::fromString);
        Optional<RetryStop> stop = stopOf(policy, attempt, error)
                .or(() -> batch.filter(id -> isStopped(session, id)).map(id -> RetryStop.BATCH))
                .or(() -> isTooLate(row, delay) ? Optional.of(RetryStop.DEADLINE) : Optional.empty())
                .or(() -> !policy.afterWrites()
                                && effects.mayHaveWritten(
                                        session,
                                        failed,
                                        (String) row[5],
                                        JpaBatchStore.text(row[7]),
                                        JpaBatchStore.number(row[8]))
                        ? Optional.of(RetryStop.WRITES)
                        : Optional.empty());
        if (stop.isPresent()) {
            writeStop(session, failed, stop.get());
            return;
        }
        UUID next = ids.next().value();
        execute(session, INSERT_EXECUTION, failed.value(), failed.toString(), next, delay.toMillis(), firstCheckMillis);
        execute(session, INSERT_INPUT, failed.value(), next, SubmissionWriter.seed());
        TAKE_OVER_ROWS.forEach(statement -> execute(session, statement, failed.value(), next));
        INSERT_CONSTRAINTS.forEach(statement -> execute(session, statement, next));
        batch.ifPresent(id -> execute(session, UPDATE_ITEMS, failed.value(), next, id));
        if (isSampled((String) row[6])) {
            execute(session, JpaSpanOutbox.INSERT_PENDING, next);
        }
        execute(session, SET_NEXT, failed.value(), next.toString());
    }

    private static Optional<RetryStop> stopOf(RetryPolicy policy, int attempt, ExecutionError error) {
        if (!policy.errorCodes().contains(error.code())) {
            return Optional.of(RetryStop.ERROR);
        }
        return attempt >= policy.attempts() ? Optional.of(RetryStop.ATTEMPTS) : Optional.empty();
    }

    private static boolean isStopped(EntityManager session, UUID batch) {
        List<?> reasons = JpaBatchStore.nativeQuery(session, LOCK_BATCH, batch).getResultList();
        return reasons.isEmpty() || reasons.get(0) != null;
    }

    private static boolean isTooLate(@Nullable Object[] row, Duration delay) {
        if (row[2] == null) {
            return false;
        }
        Instant start = ExecutionQueries.toInstant(row[3]).plus(delay);
        return !start.isBefore(ExecutionQueries.toInstant(row[2]));
    }

    private static boolean isSampled(@Nullable String trace) {
        return Optional.ofNullable(trace)
                .flatMap(TraceContext::fromStored)
                .filter(TraceContext::isSampled)
                .isPresent();
    }

    private static void execute(EntityManager session, String statement, Object... parameters) {
        JpaBatchStore.nativeQuery(session, statement, parameters).executeUpdate();
    }
}
