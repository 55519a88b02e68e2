package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.NamedNativeQuery;
import jakarta.persistence.Table;
import java.time.Instant;
import org.sallyport.node.NodeLease;

/** A node's lease. JPA only reads this entity; {@link NodeStatements} inserts and changes the rows. */
@Entity
@Table(name = "node")
@NamedNativeQuery(name = NodeStatements.TAKE_OVER, query = NodeStatements.TAKE_OVER_SQL)
@NamedNativeQuery(name = NodeStatements.JOIN, query = NodeStatements.JOIN_SQL)
@NamedNativeQuery(name = NodeStatements.RENEW, query = NodeStatements.RENEW_SQL)
@NamedNativeQuery(name = NodeStatements.LEAVE, query = NodeStatements.LEAVE_SQL)
@SuppressWarnings("NullAway.Init")
class NodeEntity {
    @Id
    @Column(name = "id")
    String id;

    @Column(name = "incarnation")
    String incarnation;

    @Column(name = "lease_owner")
    String leaseOwner;

    @Column(name = "host_path")
    @Convert(converter = LosslessTextConverter.class)
    String hostPath;

    @Column(name = "started_at")
    Instant startedAt;

    @Column(name = "lease_until")
    Instant leaseUntil;

    @Column(name = "unclean_starts")
    int uncleanStarts;

    protected NodeEntity() {}

    /** @param now the database's time */
    NodeLease toLease(Instant now) {
        return new NodeLease(id, incarnation, hostPath, startedAt, leaseUntil, !leaseUntil.isAfter(now));
    }
}
