package org.sallyport.store.jpa;

/** SQL statements on approvals. They are native for the same reason as {@link ExecutionStatements}. */
final class ApprovalStatements {
    static final String ASK = "approval.ask";
    static final String EXPIRED = "approval.expired";
    static final String PARKED = "approval.parked";
    static final String UNNOTIFIED = "approval.unnotified";

    static final String ASK_SQL = """
            insert into approval (id, tenant, execution_id, call_ordinal, kind, round, tool, arguments, hash, rule,
                reason, approvers, at_expiry, timeout_millis, requester, state, expires_at, whole_execution, notified,
                remind_before_millis, remind_every_millis, remind_times, remind_at, value_at_expiry)
            select cast(?1 as uuid), tenant, id, cast(?3 as bigint), ?4, cast(?5 as integer), ?6, ?7, ?8, ?9, ?10,
                cast(?11 as integer), ?12, cast(?13 as bigint), submitter, 'PENDING',
                current_timestamp + cast(?13 as bigint) * interval '0.001' second, false, false,
                cast(?14 as bigint), cast(?15 as bigint), cast(?16 as integer),
                case when cast(?16 as integer) > 0 then current_timestamp
                    + (cast(?13 as bigint) - cast(?14 as bigint)) * interval '0.001' second end,
                nullif(cast(?17 as text), '')
            from execution where id = ?2
            """;

    /** Skips rows that another node is expiring instead of waiting for them. */
    static final String EXPIRED_SQL = """
            select id from approval where state = 'PENDING' and expires_at <= current_timestamp
            order by expires_at limit ?1 for update skip locked
            """;

    /**
     * Finds an execution that is parked for an approval, and locks it so that it stays parked until the transaction
     * ends.
     */
    static final String PARKED_SQL = """
            select id, attempt, tenant, priority from execution
            where id = ?1 and state = 'WAITING' and waiting_for = 'approval' for update
            """;

    /** Finds executions whose approval was decided while they were being parked. */
    static final String UNNOTIFIED_SQL = """
            select a.execution_id from approval a join execution e on e.id = a.execution_id
            where not a.notified and a.state <> 'PENDING' and e.state = 'WAITING' and e.waiting_for = 'approval'
            limit ?1
            """;

    static final String TO_REMIND = "approval.to-remind";

    /** Like {@link #EXPIRED_SQL}. Without the lower bound H2 would scan all approvals without a reminder time. */
    static final String TO_REMIND_SQL = """
            select id from approval
            where remind_at between timestamp with time zone '2000-01-01 00:00:00+00:00' and current_timestamp
            order by remind_at limit ?1 for update skip locked
            """;

    static final String NOW = "approval.now";
    static final String NOW_SQL = "select current_timestamp";

    private ApprovalStatements() {}
}
