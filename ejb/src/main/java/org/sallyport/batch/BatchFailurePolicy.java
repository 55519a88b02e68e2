package org.sallyport.batch;

/** What one failed execution means for the others of its batch. */
public enum BatchFailurePolicy {
    /** Nothing. */
    CONTINUE,
    /** What has not begun never will. */
    STOP
}
