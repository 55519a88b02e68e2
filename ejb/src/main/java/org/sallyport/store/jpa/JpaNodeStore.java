package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.sallyport.node.LeaseAcquisition;
import org.sallyport.node.LeaseRenewal;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;

/** Stores the leases of nodes in the database. Thread-safe. */
public final class JpaNodeStore implements NodeStore {
    private static final String LEASES = "select n, current_timestamp from NodeEntity n";
    private static final String LEASE = LEASES + " where n.id = :id";
    private static final String UNCLEAN_STARTS = "select n.uncleanStarts from NodeEntity n where n.id = :id";
    private static final String INCARNATION = "select n.incarnation from NodeEntity n where n.id = :id";

    private final Database database;

    public JpaNodeStore(Database database) {
        this.database = database;
    }

    @Override
    public LeaseAcquisition acquireLease(NodeIdentity node, String leaseOwner, Duration time) {
        return database.writeWithDuplicateRetry(session -> {
            if (writeLease(session, NodeStatements.TAKE_OVER, node, leaseOwner, time) == 1) {
                return new LeaseAcquisition.LeaseAcquired(session.createQuery(UNCLEAN_STARTS, Integer.class)
                        .setParameter("id", node.id())
                        .getSingleResult());
            }
            List<NodeLease> held = session.createQuery(LEASE, Object[].class)
                    .setParameter("id", node.id())
                    .getResultStream()
                    .map(JpaNodeStore::toLease)
                    .toList();
            if (!held.isEmpty()) {
                return new LeaseAcquisition.LeaseHeldElsewhere(held.get(0));
            }
            writeLease(session, NodeStatements.JOIN, node, leaseOwner, time);
            return new LeaseAcquisition.LeaseAcquired(0);
        });
    }

    private static int writeLease(
            EntityManager session, String statement, NodeIdentity node, String leaseOwner, Duration time) {
        return session.createNamedQuery(statement)
                .setParameter(1, node.id())
                .setParameter(2, node.incarnation())
                .setParameter(3, leaseOwner)
                .setParameter(4, LosslessText.encode(node.hostPath()))
                .setParameter(5, time.toMillis())
                .executeUpdate();
    }

    @Override
    public LeaseRenewal renewLease(NodeIdentity node, int term, Duration time) {
        return database.write(session -> {
            int renewed = session.createNamedQuery(NodeStatements.RENEW)
                    .setParameter(1, node.id())
                    .setParameter(2, node.incarnation())
                    .setParameter(3, node.leaseOwner(term))
                    .setParameter(4, time.toMillis())
                    .setParameter(5, node.leaseOwner(term - 1))
                    .executeUpdate();
            if (renewed == 1) {
                return LeaseRenewal.RENEWED;
            }
            return isCurrentIncarnation(session, node) ? LeaseRenewal.EXPIRED : LeaseRenewal.TAKEN;
        });
    }

    private static boolean isCurrentIncarnation(EntityManager session, NodeIdentity node) {
        return session.createQuery(INCARNATION, String.class)
                .setParameter("id", node.id())
                .getResultStream()
                .anyMatch(node.incarnation()::equals);
    }

    @Override
    public void releaseLease(NodeIdentity node) {
        database.write(session -> session.createNamedQuery(NodeStatements.LEAVE)
                .setParameter(1, node.id())
                .setParameter(2, node.incarnation())
                .executeUpdate());
    }

    @Override
    public List<NodeLease> list() {
        // Sorted here, because databases order texts differently.
        return database.read(session -> session.createQuery(LEASES, Object[].class)
                .getResultStream()
                .map(JpaNodeStore::toLease)
                .sorted(Comparator.comparing(NodeLease::id))
                .toList());
    }

    private static NodeLease toLease(Object[] columns) {
        Instant now = ExecutionQueries.toInstant(columns[1]);
        return ((NodeEntity) columns[0]).toLease(now);
    }
}
