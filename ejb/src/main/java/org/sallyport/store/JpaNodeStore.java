package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.sallyport.node.Joining;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;

/** Nodes' leases in the database. */
public final class JpaNodeStore implements NodeStore {
    private static final String LEASES = "select n, current_timestamp from NodeRow n";
    private static final String LEASE = LEASES + " where n.id = :id";

    private final Database database;

    public JpaNodeStore(Database database) {
        this.database = database;
    }

    @Override
    public Joining join(NodeIdentity node, String holder, Duration time) {
        return database.writeAgainIfDuplicate(session -> {
            if (put(session, NodeStatements.TAKE, node, holder, time) == 1) {
                return new Joining.Joined();
            }
            List<NodeLease> held = session.createQuery(LEASE, Object[].class)
                    .setParameter("id", node.id())
                    .getResultStream()
                    .map(JpaNodeStore::lease)
                    .toList();
            if (!held.isEmpty()) {
                return new Joining.Refused(held.get(0));
            }
            put(session, NodeStatements.JOIN, node, holder, time);
            return new Joining.Joined();
        });
    }

    private static int put(EntityManager session, String statement, NodeIdentity node, String holder, Duration time) {
        return session.createNamedQuery(statement)
                .setParameter(1, node.id())
                .setParameter(2, node.incarnation())
                .setParameter(3, holder)
                .setParameter(4, LosslessText.encode(node.home()))
                .setParameter(5, time.toMillis())
                .executeUpdate();
    }

    @Override
    public boolean renew(NodeIdentity node, String holder, Duration time) {
        return database.write(session -> session.createNamedQuery(NodeStatements.RENEW)
                        .setParameter(1, node.id())
                        .setParameter(2, node.incarnation())
                        .setParameter(3, holder)
                        .setParameter(4, time.toMillis())
                        .executeUpdate()
                == 1);
    }

    @Override
    public void leave(NodeIdentity node) {
        database.write(session -> session.createNamedQuery(NodeStatements.LEAVE)
                .setParameter(1, node.id())
                .setParameter(2, node.incarnation())
                .executeUpdate());
    }

    @Override
    public List<NodeLease> list() {
        // Sorted here: the order of texts is not the same in all databases.
        return database.read(session -> session.createQuery(LEASES, Object[].class)
                .getResultStream()
                .map(JpaNodeStore::lease)
                .sorted(Comparator.comparing(NodeLease::id))
                .toList());
    }

    private static NodeLease lease(Object[] columns) {
        Instant now = ExecutionQueries.instant(columns[1]);
        return ((NodeRow) columns[0]).lease(now);
    }
}
