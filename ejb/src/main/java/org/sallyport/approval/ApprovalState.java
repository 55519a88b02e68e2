package org.sallyport.approval;

/** State of an approval. All states but the first are final. */
public enum ApprovalState {
    PENDING,
    APPROVED,
    DENIED,
    /** Too few people, or none, answered in time. The terms of the approval define the consequence. */
    EXPIRED
}
