package org.sallyport.node;

import java.time.Duration;
import java.util.List;

/**
 * Stores the leases of nodes, one for each id. Times come from the store's own clock. All methods throw
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface NodeStore {

    /**
     * Acquires the lease of {@code node} from an earlier incarnation with the same host and data directory, or from any
     * owner whose lease has expired.
     *
     * @param leaseOwner the lease owner that the store records for the node's executions, until a renewal with another
     *     owner
     * @param time how long the lease lasts
     */
    LeaseAcquisition acquireLease(NodeIdentity node, String leaseOwner, Duration time);

    /**
     * Renews the lease for {@code time} from now, even if it had expired; only this incarnation is then its owner.
     *
     * @return false when another incarnation holds the lease, or there is none
     */
    boolean renewLease(NodeIdentity node, String leaseOwner, Duration time);

    /** Releases the lease if this incarnation holds it; other nodes may then recover its remaining executions. */
    void releaseLease(NodeIdentity node);

    /** Returns all leases ever acquired, by id. */
    List<NodeLease> list();
}
