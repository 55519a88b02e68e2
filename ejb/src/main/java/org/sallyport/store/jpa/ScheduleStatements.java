package org.sallyport.store.jpa;

/**
 * SQL statements that read and write schedules. Native for the same reason as {@link ExecutionStatements}; schedules
 * have no entities.
 */
final class ScheduleStatements {
    private static final String READ = """
            select s.id, s.tenant, s.owner, s.name, s.cron, s.zone, s.every_millis, s.start_at, s.on_overlap,
                s.catch_up, s.request, s.paused, s.pause_reason, s.paused_at, s.due_at, s.waiting_for_previous,
                s.last_execution, s.last_at, e.state, s.skipped_at, s.skip_reason, s.version,
                s.created_at, current_timestamp, s.creator, s.delay_reason, s.runs_batch, s.last_batch, b.total,
                b.refused, r.file_id, r.content_type, r.size_bytes, r.sha256, r.row_count, r.refused, r.uploaded_by,
                r.uploaded_at
            from schedule s left join execution e on e.id = s.last_execution
                left join batch b on b.id = s.last_batch left join schedule_rows r on r.schedule_id = s.id
            """;

    /** For sweepers, which need neither the state of the last execution nor the size of the last batch. */
    private static final String READ_DUE = """
            select s.id, s.tenant, s.owner, s.name, s.cron, s.zone, s.every_millis, s.start_at, s.on_overlap,
                s.catch_up, s.request, s.paused, s.pause_reason, s.paused_at, s.due_at, s.waiting_for_previous,
                s.last_execution, s.last_at, cast(null as varchar), s.skipped_at, s.skip_reason, s.version,
                s.created_at, current_timestamp, s.creator, s.delay_reason, s.runs_batch, s.last_batch,
                cast(null as integer), cast(null as integer), r.file_id, r.content_type, r.size_bytes, r.sha256,
                r.row_count, r.refused, r.uploaded_by, r.uploaded_at
            from schedule s left join schedule_rows r on r.schedule_id = s.id
            """;

    static final String FIND = READ + "where s.id = ?1 and s.tenant = ?2";
    static final String NEWEST = READ + "where s.tenant = ?1 order by s.tenant, s.id desc limit ?2";
    static final String OLDER = READ + "where s.tenant = ?1 and s.id < ?2 order by s.tenant, s.id desc limit ?3";
    static final String DUE = READ_DUE
            + "where s.paused = false and s.batch_queued = false and s.next_check_at <= current_timestamp"
            + " order by s.paused, s.batch_queued, s.next_check_at limit ?1";

    /**
     * Due times that wait for a node that submits their batches, of the tenants after ?1. The case expression keeps the
     * database from reading the index by time, which would make it sort the rows.
     */
    static final String QUEUED = READ_DUE
            + "where s.paused = false and s.batch_queued = true and s.tenant > ?1"
            + " and case when s.next_check_at <= current_timestamp then 1 else 0 end = 1"
            + " order by s.paused, s.batch_queued, s.tenant, s.next_check_at limit ?2";

    static final String NOW_AND_COUNT = "select current_timestamp, count(*) from schedule where tenant = ?1";

    static final String CREATE = """
            insert into schedule (id, tenant, owner, creator, name, cron, zone, every_millis, start_at, on_overlap,
                catch_up, request, paused, pause_reason, paused_at, due_at, next_check_at, runs_batch)
            values (?1, ?2, ?3, ?3, ?4, nullif(?5, ''), nullif(?6, ''), nullif(cast(?7 as bigint), 0), ?8, ?9, ?10, ?11,
                ?12, case when cast(?12 as boolean) then '' end,
                case when cast(?12 as boolean) then current_timestamp end, ?13, ?13, ?14)
            """;

    /**
     * The latest batch or execution stays only if the schedule goes on with the same kind of work. A due time that
     * waits for a node stays queued if it stays due.
     */
    static final String REPLACE = """
            update schedule set owner = ?3, name = ?4, cron = nullif(?5, ''), zone = nullif(?6, ''),
                every_millis = nullif(cast(?7 as bigint), 0), start_at = ?8, on_overlap = ?9, catch_up = ?10,
                request = ?11, paused = ?12, pause_reason = case when cast(?12 as boolean) then '' end,
                paused_at = case when cast(?12 as boolean) then current_timestamp end, due_at = ?13,
                next_check_at = ?13, waiting_for_previous = false,
                batch_queued = batch_queued and runs_batch and cast(?14 as boolean) and due_at = ?13,
                delay_reason = null,
                last_execution = case when runs_batch = cast(?14 as boolean) then last_execution end,
                last_batch = case when runs_batch = cast(?14 as boolean) then last_batch end,
                last_at = case when runs_batch = cast(?14 as boolean) then last_at end, runs_batch = ?14,
                version = version + 1
            where id = ?1 and tenant = ?2
            """;

    static final String DELETE_RUNS = """
            delete from schedule_run where schedule_id in (select id from schedule where id = ?1 and tenant = ?2)
            """;
    static final String DELETE_BATCHES = """
            delete from schedule_batch where schedule_id in (select id from schedule where id = ?1 and tenant = ?2)
            """;
    static final String DELETE_CHUNKS = """
            delete from schedule_rows_chunk where schedule_id = ?1 and tenant = ?2
            """;
    static final String DELETE_OTHER_CHUNKS =
            "delete from schedule_rows_chunk where schedule_id = ?1 and tenant = ?2 and file_id <> ?3";
    static final String DELETE_ROWS = """
            delete from schedule_rows where schedule_id in (select id from schedule where id = ?1 and tenant = ?2)
            """;
    static final String DELETE = "delete from schedule where id = ?1 and tenant = ?2";

    static final String PAUSE = """
            update schedule set pause_reason = case when paused then pause_reason else cast(?3 as varchar) end,
                paused_at = coalesce(paused_at, current_timestamp), paused = true, delay_reason = null,
                version = version + 1
            where id = ?1 and tenant = ?2
            """;

    static final String RESUME = """
            update schedule set paused = false, pause_reason = null, paused_at = null, owner = ?3, due_at = ?4,
                next_check_at = ?4, waiting_for_previous = false, batch_queued = false, delay_reason = null,
                version = version + 1
            where id = ?1 and tenant = ?2
            """;

    static final String STOP = """
            update schedule set paused = true, pause_reason = ?3, paused_at = current_timestamp, delay_reason = null
            where id = ?1 and version = ?2 and paused = false
            """;

    private static final String UNCHANGED =
            "select due_at, batch_queued from schedule where id = ?1 and version = ?2 and paused = false";

    /**
     * Locks a schedule for the transaction that handles a due time. A schedule that another transaction has locked is
     * skipped, not waited for.
     */
    static final String LOCK = UNCHANGED + " for update skip locked";

    /** Like {@link #LOCK}, unless a node has claimed the time or the next check was delayed. */
    static final String LOCK_UNCLAIMED = UNCHANGED + " and next_check_at <= current_timestamp for update skip locked";

    /** Like {@link #LOCK}, but waits for the other transaction. */
    static final String LOCK_WAITING = UNCHANGED + " for update";

    static final String LOCK_OF_TENANT = "select id from schedule where id = ?1 and tenant = ?2 for update";

    /**
     * Selects the active runs of a schedule with the states of their executions. The state is null if the execution was
     * deleted, which happens only after it has ended.
     */
    static final String ACTIVE_RUNS = """
            select r.execution_id, e.state from schedule_run r left join execution e on e.id = r.execution_id
            where r.schedule_id = ?1 and r.active = true
            """;

    static final String FINISH_RUN = "update schedule_run set active = false where execution_id = ?1";

    static final String INSERT_RUN =
            "insert into schedule_run (execution_id, schedule_id, at, active) values (?1, ?2, ?3, true)";

    static final String INSERT_MANUAL_RUN =
            "insert into schedule_run (execution_id, schedule_id, active) values (?1, ?2, true)";

    static final String UPDATE_FIRED = """
            update schedule set last_execution = ?2, last_at = ?3, due_at = ?4, next_check_at = ?4,
                waiting_for_previous = false, batch_queued = false, delay_reason = null
            where id = ?1
            """;

    static final String UPDATE_MANUAL_RUN =
            "update schedule set last_execution = ?2, last_at = current_timestamp where id = ?1";

    static final String RECORD_SKIP = """
            update schedule set skipped_at = ?2, skip_reason = ?3, due_at = ?4, next_check_at = ?4,
                waiting_for_previous = false, batch_queued = false, delay_reason = null
            where id = ?1
            """;

    static final String WAIT_FOR_PREVIOUS = """
            update schedule set waiting_for_previous = true, delay_reason = null,
                next_check_at = current_timestamp + cast(?2 as bigint) * interval '0.001' second
            where id = ?1
            """;

    static final String POSTPONE_CHECK = """
            update schedule set delay_reason = ?5,
                next_check_at = current_timestamp + cast(?3 as bigint) * interval '0.001' second
            where id = ?1 and version = ?2 and due_at = ?4
            """;

    static final String RUNS_NEWEST = """
            select r.execution_id, r.at, e.state from schedule_run r join execution e on e.id = r.execution_id
            where r.schedule_id = ?1 order by r.schedule_id, r.execution_id desc limit ?2
            """;
    static final String RUNS_OLDER = """
            select r.execution_id, r.at, e.state from schedule_run r join execution e on e.id = r.execution_id
            where r.schedule_id = ?1 and r.execution_id < ?2 order by r.schedule_id, r.execution_id desc limit ?3
            """;

    static final String BATCHES_NEWEST = """
            select b.batch_id, b.at, t.total, t.refused from schedule_batch b join batch t on t.id = b.batch_id
            where b.schedule_id = ?1 order by b.schedule_id, b.batch_id desc limit ?2
            """;
    static final String BATCHES_OLDER = """
            select b.batch_id, b.at, t.total, t.refused from schedule_batch b join batch t on t.id = b.batch_id
            where b.schedule_id = ?1 and b.batch_id < ?2 order by b.schedule_id, b.batch_id desc limit ?3
            """;
    static final String ACTIVE_BATCHES = "select batch_id from schedule_batch where schedule_id = ?1 and active = true";

    static final String FINISH_ENDED_BATCHES = """
            update schedule_batch set active = false where schedule_id = ?1 and active = true
            and not exists (select 1 from batch_item i join execution e on e.id = i.execution_id
                where i.batch_id = schedule_batch.batch_id and e.state in ('PENDING', 'RUNNING', 'WAITING'))
            """;

    static final String INSERT_BATCH =
            "insert into schedule_batch (batch_id, schedule_id, at, active) values (?1, ?2, ?3, true)";

    static final String INSERT_MANUAL_BATCH =
            "insert into schedule_batch (batch_id, schedule_id, active) values (?1, ?2, true)";

    static final String UPDATE_BATCH_FIRED = """
            update schedule set last_batch = ?2, last_at = ?3, due_at = ?4, next_check_at = ?4,
                waiting_for_previous = false, batch_queued = false, delay_reason = null
            where id = ?1
            """;

    static final String UPDATE_MANUAL_BATCH =
            "update schedule set last_batch = ?2, last_at = current_timestamp where id = ?1";

    /** Like {@link #LOCK}, also of a paused schedule. */
    static final String LOCK_VERSION =
            "select id from schedule where id = ?1 and version = ?2 and runs_batch = true for update";

    /** The firing that prepares a batch of the earlier file gives up, so the time is checked again at once. */
    static final String UPDATE_OWNER = """
            update schedule set owner = ?2, version = version + 1, next_check_at = due_at, delay_reason = null
            where id = ?1
            """;

    static final String QUEUE_BATCH = """
            update schedule set batch_queued = true
            where id = ?1 and version = ?2 and due_at = ?3 and runs_batch = true and paused = false
            """;

    static final String CLAIM = """
            update schedule set batch_queued = true,
                next_check_at = current_timestamp + cast(?2 as bigint) * interval '0.001' second
            where id = ?1
            """;

    static final String RENEW_CLAIM = """
            update schedule set next_check_at = current_timestamp + cast(?4 as bigint) * interval '0.001' second
            where id = ?1 and version = ?2 and due_at = ?3 and batch_queued = true
            """;

    static final String BYTES_OF_OTHERS = """
            select cast(coalesce(sum(r.size_bytes), 0) as bigint) from schedule s
                join schedule_rows r on r.schedule_id = s.id
            where s.tenant = ?1 and s.id <> ?2
            """;

    static final String INSERT_ROWS = """
            insert into schedule_rows (schedule_id, file_id, content_type, size_bytes, sha256, row_count, refused,
                uploaded_by)
            values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """;

    static final String INSERT_CHUNK = """
            insert into schedule_rows_chunk (tenant, schedule_id, file_id, chunk_index, content)
            values (?1, ?2, ?3, ?4, ?5)
            """;

    static final String FIND_CHUNK =
            "select content from schedule_rows_chunk where schedule_id = ?1 and file_id = ?2 and chunk_index = ?3";

    /** Runs in the transaction that stores an execution of the schedule. */
    static final String MARK_EXECUTION = "update execution set schedule_id = ?2 where id = ?1";

    private ScheduleStatements() {}
}
