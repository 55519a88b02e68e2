package org.sallyport.batch;

/** How one failed execution affects the others of its batch. */
public enum BatchFailurePolicy {
    /** The others run as usual. */
    CONTINUE,
    /** Executions that have not started are cancelled. */
    STOP
}
