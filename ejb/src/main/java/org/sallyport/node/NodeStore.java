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
     * @param leaseOwner the lease owner that the store records for the node's executions, until the renewal of another
     *     term
     * @param time how long the lease lasts
     */
    LeaseAcquisition acquireLease(NodeIdentity node, String leaseOwner, Duration time);

    /**
     * Renews the lease of a term of this incarnation for {@code time} from now. A renewal that arrives late has no
     * effect: it neither renews an expired lease of the same term nor replaces that of a later term.
     *
     * @param term the term; the first renewal of a term replaces the lease of the previous one, even an expired one
     */
    LeaseRenewal renewLease(NodeIdentity node, int term, Duration time);

    /** Releases the lease if this incarnation holds it; other nodes may then recover its remaining executions. */
    void releaseLease(NodeIdentity node);

    /** Returns all leases ever acquired, by id. */
    List<NodeLease> list();
}
