package org.sallyport.store.jpa;

/**
 * SQL statements that read and advance batches. They are native for the same reason as {@link ExecutionStatements};
 * batches have no JPA entities.
 */
final class BatchStatements {
    static final String FIND = """
            select id, tenant, total, refused, max_parallel, on_failure, stop_reason, retry_of, created_at,
                capability, row_columns, coalesced, submitter, cancelled_by, cancel_reason
            from batch where id = ?1 and tenant = ?2
            """;
    static final String NEWEST = """
            select id, tenant, total, refused, max_parallel, on_failure, stop_reason, retry_of, created_at,
                capability, row_columns, coalesced, submitter, cancelled_by, cancel_reason
            from batch where tenant = ?1 order by tenant, id desc limit ?2
            """;
    static final String OLDER = """
            select id, tenant, total, refused, max_parallel, on_failure, stop_reason, retry_of, created_at,
                capability, row_columns, coalesced, submitter, cancelled_by, cancel_reason
            from batch where tenant = ?1 and id < ?2 order by tenant, id desc limit ?3
            """;
    static final String COUNTS = """
            select coalesce(e.state, i.final_state), count(*)
            from batch_item i left join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and coalesce(e.state, i.final_state) is not null
            group by coalesce(e.state, i.final_state)
            """;
    static final String ITEMS = """
            select i.item_index, i.execution_id, coalesce(e.state, i.final_state), i.problem
            from batch_item i left join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and i.item_index > ?2 order by i.batch_id, i.item_index limit ?3
            """;
    static final String FAILED = """
            select i.item_index, i.execution_id, e.state, i.problem
            from batch_item i join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and i.item_index > ?2 and e.state in ('FAILED', 'TIMED_OUT')
            order by i.batch_id, i.item_index limit ?3
            """;
    static final String COUNT_FAILED_EXECUTIONS = """
            select count(distinct e.id) from batch_item i join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and e.state in ('FAILED', 'TIMED_OUT')
            """;
    static final String UNSUCCESSFUL = """
            select i.item_index, i.execution_id, coalesce(e.state, i.final_state), i.problem
            from batch_item i left join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and i.item_index > ?2
                and (i.problem is not null or coalesce(e.state, i.final_state) in ('FAILED', 'TIMED_OUT', 'CANCELLED'))
            order by i.batch_id, i.item_index limit ?3
            """;
    /** PostgreSQL stores the lengths of values. H2 reads large values for them, but keeps none in memory. */
    private static final String SIZED = """
            select i.item_index, i.execution_id, coalesce(e.state, i.final_state), i.problem,
                coalesce(octet_length(i.problem), 0) + coalesce(octet_length(r.source_row), 0)
                + coalesce(octet_length(n.args), 0) + coalesce(octet_length(o.result), 0)
                + coalesce(octet_length(o.error_message), 0) + coalesce(octet_length(o.error_stack), 0)
            from batch_item i left join execution e on e.id = i.execution_id
                left join execution_input n on n.execution_id = e.id
                left join execution_outcome o on o.execution_id = e.id
                left join batch_row r on r.batch_id = i.batch_id and r.item_index = i.item_index
            where i.batch_id = ?1 and i.item_index > ?2
            """;

    private static final String IN_ORDER = " order by i.batch_id, i.item_index limit ?3";

    static final String SIZED_ITEMS = SIZED + IN_ORDER;
    static final String SIZED_UNSUCCESSFUL = SIZED + """
            and (i.problem is not null or coalesce(e.state, i.final_state) in ('FAILED', 'TIMED_OUT', 'CANCELLED'))
            """ + IN_ORDER;

    /** Followed by the marks of the indexes and a closing parenthesis. The last parameter is the batch. */
    static final String FIND_ROWS = "select item_index, source_row from batch_row where item_index in (";

    static final String OF_BATCH = ") and batch_id = ";

    /** Parameters: the batch, the execution, its state. */
    static final String KEEP_FINAL_STATE =
            "update batch_item set final_state = ?3 where batch_id = ?1 and execution_id = ?2";

    static final String FIND_ROW = "select source_row from batch_row where batch_id = ?1 and item_index = ?2";
    static final String FIND_UNFINISHED = """
            select i.item_index from batch_item i join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and e.state in ('PENDING', 'RUNNING', 'WAITING') limit 1
            """;
    static final String FIND_QUEUED_ITEM =
            "select item_index from batch_item where batch_id = ?1 and execution_id = ?2 and status = 'QUEUED'";
    static final String ACTIVE_BATCHES =
            "select id from batch where active = true and id > ?1 order by active, id limit ?2";

    /** A transaction that advances a batch locks the batch's row. */
    static final String LOCK =
            "select max_parallel, on_failure, tenant from batch where id = ?1 and active = true for update";

    static final String LOCK_OF_TENANT = "select id from batch where id = ?1 and tenant = ?2 for update";

    static final String LOCK_NOT_STOPPED =
            "select id from batch where id = ?1 and tenant = ?2 and stop_reason is null for update";

    /** The state of a deleted execution is the one in which it ended. */
    static final String ACTIVE_ITEMS = """
            select i.item_index, coalesce(e.state, i.final_state)
            from batch_item i left join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and i.status = 'ACTIVE'
            """;

    static final String QUEUED_ITEMS = """
            select i.item_index, i.execution_id, coalesce(e.state, i.final_state), e.priority, e.attempt
            from batch_item i left join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and i.status = 'QUEUED' order by i.batch_id, i.status, i.item_index limit ?2
            """;
    static final String SET_ITEM_STATUS = "update batch_item set status = ?3 where batch_id = ?1 and item_index = ?2";

    /** A sweeper resends a lost job ?2 milliseconds after now or after {@code not_before}, the later of the two. */
    static final String ADMIT_EXECUTION = """
            update execution set next_check_at =
                greatest(current_timestamp, coalesce(not_before, current_timestamp)) + cast(?2 as bigint) * interval \
            '0.001' second
            where id = ?1 and state = 'PENDING'
            """;

    static final String SKIP_QUEUED_ITEMS =
            "update batch_item set status = 'DONE' where batch_id = ?1 and status = 'QUEUED'";

    /** Parameters: id and stop reason (?1, ?2), the caller who cancels (?3) and why (?4), '' for none. */
    static final String STOP = """
            update batch set stop_reason = coalesce(stop_reason, ?2),
                cancelled_by = case when stop_reason is null then nullif(cast(?3 as varchar), '') else cancelled_by end,
                cancel_reason = case when stop_reason is null and ?3 <> '' then nullif(cast(?4 as varchar), '')
                    else cancel_reason end
            where id = ?1
            """;

    static final String FINISH_BATCH = "update batch set active = false where id = ?1";

    /** Only attempt 0: a pending execution that ran before, and was resumed or released, may have open tool calls. */
    static final String CANCEL_PENDING = """
            update execution set state = 'CANCELLED', cancel_requested = true,
                cancelled_at = coalesce(cancelled_at, current_timestamp),
                cancelled_by = case when cancel_requested then cancelled_by
                    else nullif(cast(?2 as varchar), '') end,
                cancel_reason = case when cancel_requested then cancel_reason
                    else nullif(cast(?3 as varchar), '') end,
                last_seq = last_seq + 1,
                finished_at = current_timestamp, next_check_at = current_timestamp
            where state = 'PENDING' and attempt = 0 and exists
                (select 1 from batch_item i where i.batch_id = ?1 and i.execution_id = execution.id)
            """;

    /**
     * Like {@link ExecutionStatements#CLOSE_TRACE_SQL}, for all cancelled executions of the batch that have no closing
     * event yet.
     */
    static final String CLOSE_TRACES = """
            insert into trace_event (execution_id, seq, type, at, state, attempt)
            select distinct e.id, e.last_seq, 'STATE_CHANGED', e.finished_at, e.state, e.attempt
            from batch_item i join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and e.state = 'CANCELLED' and not exists
                (select 1 from trace_event t where t.execution_id = e.id and t.seq = e.last_seq)
            """;

    static final String FIND_NEXT_ATTEMPT = "select retried_by from execution where id = ?1 and retried_by is not null";

    /** All that {@link #CANCEL_PENDING} did not cancel, including next attempts that were stored meanwhile. */
    static final String UNFINISHED_EXECUTIONS = """
            select e.id from batch_item i join execution e on e.id = i.execution_id
            where i.batch_id = ?1 and e.state in ('PENDING', 'RUNNING', 'WAITING')
            group by e.id order by min(i.item_index)
            """;

    private BatchStatements() {}
}
