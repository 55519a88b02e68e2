package org.sallyport.store.jpa;

/**
 * SQL statements that read and write callbacks. They are native for the same reason as {@link ExecutionStatements};
 * callbacks have no JPA entities.
 */
final class CallbackStatements {
    private static final String READ = """
            select execution_id, tenant, url, state, attempts, next_check_at, status, failure, finished_at from callback
            """;

    static final String INSERT = "insert into callback (execution_id, tenant, url, host) values (?1, ?2, ?3, ?4)";

    static final String FIND = READ + "where execution_id = ?1 and tenant = ?2";
    static final String NEWEST =
            READ + "where tenant = ?1 and state = ?2 order by tenant, state, execution_id desc limit ?3";
    static final String OLDER = READ
            + "where tenant = ?1 and state = ?2 and execution_id < ?3 order by tenant, state, execution_id desc limit "
            + "?4";

    static final String REDELIVER = """
            update callback set state = 'DUE', attempts = 0, next_check_at = current_timestamp,
                due_since = current_timestamp, finished_at = null
            where execution_id = ?1 and tenant = ?2 and state in ('DELIVERED', 'FAILED')
            """;

    static final String MARK_DUE = """
            update callback set state = 'DUE', next_check_at = current_timestamp, due_since = current_timestamp
            where state = 'WAITING' and execution_id in (
                select c.execution_id from callback c join execution e on e.id = c.execution_id
                where c.state = 'WAITING' and c.next_check_at <= current_timestamp
                    and e.state in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')
                order by c.state, c.next_check_at limit ?1)
            """;

    static final String OVERDUE_WAITING = """
            select execution_id from callback where state = 'WAITING' and next_check_at <= current_timestamp
            order by state, next_check_at limit ?1
            """;

    /**
     * A node checks a callback immediately when the execution ends on that node. This interval finds executions that
     * ended on other nodes: 0.5 s for callbacks younger than 4 s, 5 s for callbacks younger than 40 s, and 30 s for
     * older ones.
     */
    static final String POSTPONE_CHECK = """
            update callback set next_check_at = current_timestamp + cast(
                    case when created_at > current_timestamp - interval '4' second then 500
                        when created_at > current_timestamp - interval '40' second then 5000 else 30000 end as bigint)
                * interval '0.001' second
            where state = 'WAITING' and next_check_at <= current_timestamp
            """;

    static final String CHECK_NOW =
            "update callback set next_check_at = current_timestamp where execution_id = ?1 and state = 'WAITING'";

    /**
     * A format string: {@code %s} stands for further conditions. Skips rows that another node is claiming instead of
     * waiting for them.
     */
    static final String DUE = """
            select execution_id, tenant, url, host, attempts, due_since, current_timestamp from callback
            where state = 'DUE' and next_check_at <= current_timestamp%s
            order by next_check_at limit 1 for update skip locked
            """;

    static final String CLAIM = """
            update callback set attempts = attempts + 1,
                next_check_at = current_timestamp + cast(?2 as bigint) * interval '0.001' second
            where execution_id = ?1
            """;

    static final String MARK_DELIVERED = """
            update callback set state = 'DELIVERED', status = nullif(cast(?3 as integer), 0), failure = null,
                finished_at = current_timestamp
            where execution_id = ?1 and attempts = ?2 and state = 'DUE'
            """;

    static final String SCHEDULE_RETRY = """
            update callback set status = nullif(cast(?3 as integer), 0), failure = ?4,
                next_check_at = current_timestamp + cast(?5 as bigint) * interval '0.001' second
            where execution_id = ?1 and attempts = ?2 and state = 'DUE'
            """;

    static final String MARK_FAILED = """
            update callback set state = 'FAILED', status = nullif(cast(?3 as integer), 0), failure = ?4,
                finished_at = current_timestamp
            where execution_id = ?1 and attempts = ?2 and state = 'DUE'
            """;

    static final String FIND_SALT = """
            select salt, fingerprint, case when previous_until > current_timestamp then previous_salt end
            from callback_secret where tenant = ?1
            """;

    static final String ROTATE_SALT = """
            update callback_secret set previous_salt = salt,
                previous_until = current_timestamp + cast(?4 as bigint) * interval '0.001' second,
                salt = ?2, fingerprint = ?3, created_at = current_timestamp
            where tenant = ?1
            """;

    static final String INSERT_SALT = "insert into callback_secret (tenant, salt, fingerprint) values (?1, ?2, ?3)";

    private CallbackStatements() {}
}
