package org.sallyport.auth;

/** A set of permissions that a caller has. */
public enum Role {
    /** Submits and reads executions. */
    SUBMITTER,
    /** Decides approvals. */
    APPROVER,
    /** Runs the service: backends, queues, nodes. */
    OPERATOR,
    /** Has all permissions, including those for keys and tenants. */
    ADMIN,
    /** Reads everything and changes nothing. */
    AUDITOR
}
