package org.sallyport.node;

/** Outcome of a node's attempt to acquire its lease. */
public sealed interface LeaseAcquisition {

    /** The node holds the lease. */
    record LeaseAcquired() implements LeaseAcquisition {}

    /** A node with the same id on another host or data directory holds {@code lease}. */
    record LeaseHeldElsewhere(NodeLease lease) implements LeaseAcquisition {}
}
