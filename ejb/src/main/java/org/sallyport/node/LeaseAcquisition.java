package org.sallyport.node;

/** Outcome of a node's attempt to acquire its lease. */
public sealed interface LeaseAcquisition {

    /**
     * The node holds the lease.
     *
     * @param uncleanStarts number of starts of the node in a row, including this one, that did not follow a clean stop;
     *     0 when the last stop was clean or the node has never run, and again when the node has run for ten minutes
     */
    record LeaseAcquired(int uncleanStarts) implements LeaseAcquisition {}

    /** A node with the same id on another host or data directory holds {@code lease}. */
    record LeaseHeldElsewhere(NodeLease lease) implements LeaseAcquisition {}
}
