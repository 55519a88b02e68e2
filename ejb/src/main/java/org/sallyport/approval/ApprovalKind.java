package org.sallyport.approval;

/** The kind of question that an approval asks. */
public enum ApprovalKind {
    /** Whether a call may be made. */
    CALL,
    /** The outcome of a call that a crash left without an answer. */
    OUTCOME,
    /** A question that the script asks. */
    QUESTION
}
