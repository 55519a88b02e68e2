package org.sallyport.approval;

/** What is asked. */
public enum ApprovalKind {
    /** Whether a call may be made. */
    CALL,
    /** What became of a call that a crash left without an answer. */
    OUTCOME,
    /** What the script itself asks. */
    QUESTION
}
