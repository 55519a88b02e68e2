package org.sallyport.submission;

/** A submission that nothing can be made of. */
public final class InvalidSubmissionException extends RuntimeException {
    private final String member;

    /**
     * @param member the member at fault, such as {@code limits.wallMillis}
     * @param reason what is wrong with it
     */
    public InvalidSubmissionException(String member, String reason) {
        super(reason);
        this.member = member;
    }

    /** The member at fault. */
    public String member() {
        return member;
    }
}
