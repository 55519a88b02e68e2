package org.sallyport.approval;

/** How far an approval is. All but the first are for ever. */
public enum ApprovalState {
    PENDING,
    APPROVED,
    DENIED,
    /** Nobody, or too few, answered in time; what that means was said when it was asked. */
    EXPIRED
}
