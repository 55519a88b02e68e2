package org.sallyport.access;

/** What a caller is trusted with. */
public enum Role {
    /** Submits and sees executions. */
    SUBMITTER,
    /** Decides approvals. */
    APPROVER,
    /** Runs the service: backends, queues, nodes. */
    OPERATOR,
    /** Everything, keys and tenants included. */
    ADMIN,
    /** Sees everything, changes nothing. */
    AUDITOR
}
