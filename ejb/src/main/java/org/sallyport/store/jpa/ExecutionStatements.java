package org.sallyport.store.jpa;

/**
 * The SQL statements that change an execution. They are native because only the database's clock may write times, and
 * JPQL cannot add an interval to it. H2 and PostgreSQL run the same text. Each state transition names the state that it
 * leaves.
 */
final class ExecutionStatements {
    static final String INSERT = "execution.accept";
    static final String MARK_RERUN = "execution.markRerun";
    static final String MARK_CAPABILITY = "execution.markCapability";
    static final String MARK_SCRIPT = "execution.markScript";
    static final String CLAIM = "execution.claim";
    static final String APPEND = "execution.append";
    static final String RELEASE = "execution.release";
    static final String PARK = "execution.park";
    static final String NEXT_RESUME = "execution.nextDue";
    static final String RESUME = "execution.wake";
    static final String REQUEUE = "execution.requeue";
    static final String REQUEUE_OWN = "execution.requeueOwn";
    static final String MARK_ALONE = "execution.markAlone";
    static final String UNMARK_ALONE = "execution.unmarkAlone";
    static final String MARK_REPLAYED = "execution.markReplayed";
    static final String FAIL_PENDING = "execution.failPending";
    static final String FINISH = "execution.finish";
    static final String PROGRESS = "execution.progress";
    static final String BLOCKED_ATTEMPTS = "execution.blockedAttempts";
    static final String CLOSE_TRACE = "execution.closeTrace";
    static final String CANCEL_IDLE = "execution.cancelIdle";
    static final String TIME_OUT = "execution.endLate";
    static final String REQUEST_CANCEL = "execution.requestCancel";

    static final String INSERT_SQL = """
            insert into execution
                (id, tenant, submitter, state, language, priority, code_preview, labels, wall_millis, tier, durability,
                next_check_at)
            values (?1, ?2, ?3, 'PENDING', ?4, ?5, ?6, ?7, ?8, ?10, ?11,
                current_timestamp + cast(?9 as bigint) * interval '0.001' second)
            """;

    /**
     * Runs in the transaction of {@link #INSERT_SQL}. A separate statement, so that other submissions do not pay for
     * it.
     */
    static final String MARK_RERUN_SQL =
            "update execution set rerun_of = ?2, rerun_mode = ?3, rerun_from = ?4, rerun_edited = ?5 where id = ?1";

    /** Runs like {@link #MARK_RERUN_SQL}. */
    static final String MARK_CAPABILITY_SQL = "update execution set capability = ?2 where id = ?1";

    /** Runs like {@link #MARK_RERUN_SQL}, or in the transaction that saves the script of the execution. */
    static final String MARK_SCRIPT_SQL = "update execution set saved_script = ?2 where id = ?1";

    /**
     * Keeps the deadline of the first claim, so that later attempts get no more time. Does not claim an execution that
     * may not start yet, is past {@code ends_by}, or waits for its turn. H2's {@code least} returns null if one
     * argument is null, but PostgreSQL's ignores nulls; hence the inner {@code coalesce}.
     */
    static final String CLAIM_SQL = """
            update execution set state = 'RUNNING', attempt = attempt + 1, node = ?2, runs_alone = false,
                replays_alone = false,
                started_at = coalesce(started_at, current_timestamp),
                deadline_at = coalesce(deadline_at,
                    least(current_timestamp + wall_millis * interval '0.001' second, coalesce(ends_by, \
            current_timestamp + wall_millis * interval '0.001' second))),
                next_check_at = coalesce(deadline_at,
                    least(current_timestamp + wall_millis * interval '0.001' second, coalesce(ends_by, \
            current_timestamp + wall_millis * interval '0.001' second)))
            where id = ?1 and state = 'PENDING' and (not_before is null or not_before <= current_timestamp)
                and (ends_by is null or ends_by > current_timestamp) and awaits_turn is not true
            """;

    /**
     * Parameters: the fencing token (?1, ?2); the increments of the journal, standard output and standard error (?3 to
     * ?5) and whether output was truncated (?6); the required current lengths of the three, -1 for any (?7 to ?9); the
     * bytes of the new entries (?10).
     */
    static final String APPEND_SQL = """
            update execution set last_seq = last_seq + ?3, out_length = out_length + ?4, err_length = err_length + ?5,
                journal_bytes = journal_bytes + ?10, truncated = truncated or cast(?6 as boolean)
            where id = ?1 and attempt = ?2 and state = 'RUNNING'
                and cast(?7 as bigint) in (-1, last_seq)
                and cast(?8 as bigint) in (-1, out_length)
                and cast(?9 as bigint) in (-1, err_length)
            """;

    /**
     * Parameters as in {@link #APPEND_SQL}. The node that releases the execution intends to claim it again at once. If
     * it cannot, a sweeper finds the execution after two seconds. If the script never started, its time begins again.
     */
    static final String RELEASE_SQL = """
            update execution set last_seq = last_seq + ?3, out_length = out_length + ?4, err_length = err_length + ?5,
                journal_bytes = journal_bytes + ?10, truncated = truncated or cast(?6 as boolean),
                state = 'PENDING', node = null,
                started_at = case when last_seq + ?3 <= attempt then null else started_at end,
                deadline_at = case when last_seq + ?3 <= attempt then null else deadline_at end,
                next_check_at = current_timestamp + interval '2' second
            where id = ?1 and attempt = ?2 and state = 'RUNNING' and not cancel_requested
                and cast(?7 as bigint) in (-1, last_seq)
                and cast(?8 as bigint) in (-1, out_length)
                and cast(?9 as bigint) in (-1, err_length)
            """;

    /**
     * Parameters as in {@link #APPEND_SQL}, then the milliseconds until a sweeper resumes the execution (?11) and its
     * wait reason (?12).
     */
    static final String PARK_SQL = """
            update execution set last_seq = last_seq + ?3, out_length = out_length + ?4, err_length = err_length + ?5,
                journal_bytes = journal_bytes + ?10, truncated = truncated or cast(?6 as boolean),
                state = 'WAITING', node = null, waiting_for = ?12, waiting_since = current_timestamp,
                next_check_at = current_timestamp + cast(?11 as bigint) * interval '0.001' second
            where id = ?1 and attempt = ?2 and state = 'RUNNING' and not cancel_requested
                and cast(?7 as bigint) in (-1, last_seq)
                and cast(?8 as bigint) in (-1, out_length)
                and cast(?9 as bigint) in (-1, err_length)
            """;

    /** For {@link Database#withSkipLocked}: skips rows that another node is resuming instead of waiting for them. */
    static final String DUE_WAITS_SQL = """
            select id, attempt, tenant, priority, waiting_for from execution where state = 'WAITING' and next_check_at \
            <= current_timestamp
            order by state, next_check_at limit ?1""";

    /** The upper bound keeps the query from reading the many executions that are due in days. */
    static final String NEXT_RESUME_SQL = """
            select next_check_at, current_timestamp from execution
            where state = 'WAITING' and next_check_at <= current_timestamp + cast(?1 as bigint) * interval '0.001' \
            second
            order by state, next_check_at limit 1
            """;

    /**
     * Extends the deadline by the time for which the execution was parked, unless it waited for a tool, and never
     * beyond {@code ends_by}. The sweeper does not resend the job for ?3 milliseconds. If ?3 is 0, the sweeper finds
     * the execution before all executions that wait for their first attempt.
     */
    static final String RESUME_SQL = """
            update execution set state = 'PENDING', last_seq = last_seq + 1,
                next_check_at = case when cast(?3 as bigint) = 0 then current_timestamp - interval '1' day
                    else current_timestamp + cast(?3 as bigint) * interval '0.001' second end,
                deadline_at = case when waiting_for = 'tool' then deadline_at
                    else least(deadline_at + (current_timestamp - waiting_since),
                        coalesce(ends_by, deadline_at + (current_timestamp - waiting_since))) end,
                waiting_for = null, waiting_since = null
            where id = ?1 and attempt = ?2 and state = 'WAITING'
            """;

    /**
     * Run by the node that detects that the execution's node is gone. Does not match if that node has renewed its lease
     * since. Like {@link #REQUEUE_OWN_SQL} for an execution that has never started. The sweeper finds the execution
     * before all executions that wait for their first attempt, and first those that have lost the most nodes, in a
     * random order (?3: up to a minute, in milliseconds): one that makes its nodes crash is then soon the only one on
     * its node.
     */
    static final String REQUEUE_SQL = """
            update execution set state = 'PENDING', node = null, node_losses = node_losses + 1,
                node_losses_alone = node_losses_alone + case when runs_alone then 1 else 0 end,
                replay_losses = replay_losses + case when replays_alone then 1 else 0 end,
                started_at = case when last_seq < attempt then null else started_at end,
                deadline_at = case when last_seq < attempt then null else deadline_at end,
                last_seq = last_seq + 1,
                next_check_at = current_timestamp - interval '1' day - (node_losses + 1) * interval '1' minute
                    - cast(?3 as bigint) * interval '0.001' second
            where id = ?1 and attempt = ?2 and state = 'RUNNING' and not cancel_requested and not exists
                (select 1 from node n where n.lease_owner = execution.node and n.lease_until > current_timestamp)
            """;

    /**
     * Run by the execution's own node, which does not run it. Each attempt that ends adds at least one entry to the
     * journal. An execution whose attempts added no more has never started; its next claim sets its deadline. The
     * sweeper finds the execution like one of {@link #REQUEUE_SQL}.
     */
    static final String REQUEUE_OWN_SQL = """
            update execution set state = 'PENDING', node = null,
                started_at = case when last_seq < attempt then null else started_at end,
                deadline_at = case when last_seq < attempt then null else deadline_at end,
                last_seq = last_seq + 1,
                next_check_at = current_timestamp - interval '1' day
            where id = ?1 and attempt = ?2 and state = 'RUNNING' and not cancel_requested
            """;

    /** An execution that has lost a node replays if an earlier attempt has written to its journal, or in a re-run. */
    static final String MARK_ALONE_SQL = """
            update execution set runs_alone = true,
                replays_alone = (node_losses > 0 and (last_seq >= attempt or rerun_of is not null))
            where id = ?1 and attempt = ?2 and state = 'RUNNING'
            """;

    /** For all executions that the lease owner ?1 runs. */
    static final String UNMARK_ALONE_SQL = """
            update execution set runs_alone = false, replays_alone = false
            where state = 'RUNNING' and node = ?1 and runs_alone
            """;

    static final String MARK_REPLAYED_SQL = """
            update execution set replays_alone = false, replay_losses = 0
            where id = ?1 and attempt = ?2 and state = 'RUNNING' and replays_alone
            """;

    static final String FAIL_PENDING_SQL = """
            update execution set state = 'FAILED', error_code = ?3, last_seq = last_seq + 1,
                finished_at = current_timestamp, next_check_at = current_timestamp,
                not_retried = case when retry is null then cast(null as varchar) else 'ERROR' end
            where id = ?1 and attempt = ?2 and state = 'PENDING'
            """;

    /**
     * Parameters as in {@link #APPEND_SQL}, then the state (?11), the error code or '' (?12), and the required cancel
     * request: {@code any}, {@code yes} or {@code no} (?13).
     */
    static final String FINISH_SQL = """
            update execution set last_seq = last_seq + ?3 + 1, out_length = out_length + ?4, err_length = err_length + \
            ?5,
                journal_bytes = journal_bytes + ?10, truncated = truncated or cast(?6 as boolean),
                state = ?11, error_code = nullif(cast(?12 as varchar), ''),
                finished_at = current_timestamp, next_check_at = current_timestamp
            where id = ?1 and attempt = ?2 and state = 'RUNNING'
                and cast(?7 as bigint) in (-1, last_seq)
                and cast(?8 as bigint) in (-1, out_length)
                and cast(?9 as bigint) in (-1, err_length)
                and cast(?13 as varchar) in ('any', case when cancel_requested then 'yes' else 'no' end)
            """;

    /**
     * Runs in the transaction of an {@link #APPEND_SQL} or {@link #FINISH_SQL}, which has checked the fencing token.
     */
    static final String PROGRESS_SQL = "update execution set progress_permille = ?2, progress_text = ?3 where id = ?1";

    /** Runs in the transaction of a statement that has checked the fencing token, like {@link #PROGRESS_SQL}. */
    static final String BLOCKED_ATTEMPTS_SQL = "update execution set blocked_attempts = ?2 where id = ?1";

    /** Adds the trace event for the state that the execution entered in this transaction. */
    static final String CLOSE_TRACE_SQL = """
            insert into trace_event (execution_id, seq, type, at, state, attempt)
            select id, last_seq, 'STATE_CHANGED', coalesce(finished_at, current_timestamp), state, attempt from \
            execution where id = ?1
            """;

    /** Parameters: id and tenant (?1, ?2), who cancels (?3) and why (?4), '' if unknown. */
    static final String CANCEL_IDLE_SQL = """
            update execution set state = 'CANCELLED', cancel_requested = true,
                cancelled_at = coalesce(cancelled_at, current_timestamp),
                cancelled_by = case when cancel_requested then cancelled_by
                    else nullif(cast(?3 as varchar), '') end,
                cancel_reason = case when cancel_requested then cancel_reason
                    else nullif(cast(?4 as varchar), '') end,
                last_seq = last_seq + 1,
                finished_at = current_timestamp, next_check_at = current_timestamp, waiting_for = null, waiting_since \
            = null
            where id = ?1 and tenant = ?2 and state in ('PENDING', 'WAITING')
            """;

    static final String TIME_OUT_SQL = """
            update execution set state = 'TIMED_OUT', error_code = ?2, last_seq = last_seq + 1,
                finished_at = current_timestamp, next_check_at = current_timestamp, waiting_for = null, waiting_since \
            = null,
                not_retried = case when retry is null then cast(null as varchar) else 'DEADLINE' end
            where id = ?1 and state in ('PENDING', 'WAITING') and ends_by <= current_timestamp
            """;

    /** Parameters as in {@link #CANCEL_IDLE_SQL}. Does not match an execution with an earlier request. */
    static final String REQUEST_CANCEL_SQL = """
            update execution set cancel_requested = true, cancelled_at = current_timestamp,
                cancelled_by = nullif(cast(?3 as varchar), ''), cancel_reason = nullif(cast(?4 as varchar), '')
            where id = ?1 and tenant = ?2 and state = 'RUNNING' and not cancel_requested
            """;

    /**
     * For {@link Database#withSkipLocked}: skips rows whose jobs another node is sending instead of waiting for them.
     */
    static final String OVERDUE_JOBS_SQL = """
            select id, tenant, priority, attempt, current_timestamp + cast(?1 as bigint) * interval '0.001' second
            from execution where state = 'PENDING' and next_check_at <= current_timestamp
            order by state, next_check_at limit ?2""";

    private ExecutionStatements() {}
}
