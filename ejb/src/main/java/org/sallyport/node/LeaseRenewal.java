package org.sallyport.node;

/** Outcome of the renewal of a lease. */
public enum LeaseRenewal {
    /** The node holds the lease. */
    RENEWED,
    /**
     * The lease of this term has expired, or is that of a later term. Other nodes may run the executions of this term;
     * the node may continue under the next term.
     */
    EXPIRED,
    /** Another incarnation has taken the lease, or there is none. */
    TAKEN
}
