package org.sallyport.submission;

/** A submission has a member with an invalid value. */
public final class InvalidSubmissionException extends RuntimeException {
    private final String member;

    /**
     * @param member the invalid member, such as {@code limits.wallMillis}
     * @param reason why the member is invalid
     */
    public InvalidSubmissionException(String member, String reason) {
        super(reason);
        this.member = member;
    }

    /** Returns the invalid member. */
    public String member() {
        return member;
    }
}
