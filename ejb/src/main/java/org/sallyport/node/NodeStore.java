package org.sallyport.node;

import java.time.Duration;
import java.util.List;

/**
 * Where nodes hold their leases, one for each id. Times are the store's own clock. All methods throw {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface NodeStore {

    /**
     * Takes the lease of {@code node} from an earlier life at the same home, or from anybody whose lease has ended.
     *
     * @param holder what the store says of the executions that the node runs, until it renews with another
     * @param time how long the lease lasts
     */
    LeaseAcquisition acquireLease(NodeIdentity node, String holder, Duration time);

    /**
     * Has the lease last for {@code time} from now, even if it had ended; only this incarnation is then its holder.
     *
     * @return false when another life of the node has it, or nobody
     */
    boolean renewLease(NodeIdentity node, String holder, Duration time);

    /** Ends the lease, if this incarnation has it: what it still runs is for others from now on. */
    void releaseLease(NodeIdentity node);

    /** All leases ever taken, by id. */
    List<NodeLease> list();
}
