package org.sallyport.audit;

/**
 * What came of it.
 *
 * @param outcome whether it was done
 * @param status the HTTP status of the answer; 0 where there is none
 * @param created id or name of what was made; empty for nothing
 * @param note more of it for people; may be empty
 */
public record AuditResult(AuditOutcome outcome, int status, String created, String note) {
    /** Whether it was done. */
    public enum AuditOutcome {
        /** It was. */
        DONE,
        /** The service did not let it happen: no right, no such object, not as it must be. */
        REFUSED,
        /** The service could not; part of it may have been done. */
        FAILED
    }

    /** What an answer says by its status. */
    public static AuditResult of(int status, String made, String note) {
        AuditOutcome kind =
                status < 400 ? AuditOutcome.DONE : status < 500 ? AuditOutcome.REFUSED : AuditOutcome.FAILED;
        return new AuditResult(kind, status, kind == AuditOutcome.DONE ? made : "", note);
    }
}
