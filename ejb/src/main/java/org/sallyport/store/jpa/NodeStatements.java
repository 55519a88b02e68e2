package org.sallyport.store.jpa;

/** All SQL statements that change a node's lease. Native for the same reason as {@link ExecutionStatements}. */
final class NodeStatements {
    static final String TAKE_OVER = "node.take";
    static final String JOIN = "node.join";
    static final String RENEW = "node.renew";
    static final String LEAVE = "node.leave";

    /** Takes the lease of an earlier incarnation with the same host and path, or a lease that has expired. */
    static final String TAKE_OVER_SQL = """
            update node set incarnation = ?2, lease_owner = ?3, host_path = ?4, started_at = current_timestamp,
                unclean_starts = unclean_starts + 1,
                lease_until = current_timestamp + cast(?5 as bigint) * interval '0.001' second
            where id = ?1 and (host_path = ?4 or lease_until <= current_timestamp)
            """;

    static final String JOIN_SQL = """
            insert into node (id, incarnation, lease_owner, host_path, started_at, lease_until)
            values (?1, ?2, ?3, ?4, current_timestamp,
                current_timestamp + cast(?5 as bigint) * interval '0.001' second)
            """;

    /**
     * Parameters: the id and the incarnation (?1, ?2), the lease owner (?3), the milliseconds of the lease (?4), and
     * the lease owner of the previous term (?5). A statement that is late finds its lease expired, or a later owner.
     */
    static final String RENEW_SQL = """
            update node set lease_owner = ?3,
                unclean_starts = case when started_at < current_timestamp - interval '10' minute then 0
                    else unclean_starts end,
                lease_until = current_timestamp + cast(?4 as bigint) * interval '0.001' second
            where id = ?1 and incarnation = ?2
                and (lease_owner = ?5 or (lease_owner = ?3 and lease_until > current_timestamp))
            """;

    static final String LEAVE_SQL = """
            update node set lease_until = current_timestamp, unclean_starts = -1 where id = ?1 and incarnation = ?2
            """;

    private NodeStatements() {}
}
