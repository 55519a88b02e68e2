package org.sallyport.node;

/** What became of a node's wish to take part. */
public sealed interface LeaseAcquisition {

    /** The lease is its own. */
    record LeaseAcquired() implements LeaseAcquisition {}

    /** A node of the same id, which lives elsewhere, holds {@code lease}. */
    record LeaseHeldElsewhere(NodeLease lease) implements LeaseAcquisition {}
}
