package org.sallyport.node;

/** What became of a node's wish to take part. */
public sealed interface Joining {

    /** The lease is its own. */
    record Joined() implements Joining {}

    /** A node of the same id, which lives elsewhere, holds {@code lease}. */
    record Refused(NodeLease lease) implements Joining {}
}
