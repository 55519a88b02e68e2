package org.sallyport.audit;

/**
 * The result of an action.
 *
 * @param outcome outcome of the action
 * @param status HTTP status of the response; 0 without a response
 * @param created id or name of the created object; empty for none
 * @param note further text for people; may be empty
 */
public record AuditResult(AuditOutcome outcome, int status, String created, String note) {
    /** Outcome of an action. */
    public enum AuditOutcome {
        /** The action succeeded. */
        DONE,
        /** The service refused the action: missing permission, unknown object or invalid request. */
        REFUSED,
        /** The service failed; parts of the action may have been done. */
        FAILED
    }

    /** Derives the result from the HTTP status of a response. */
    public static AuditResult of(int status, String created, String note) {
        AuditOutcome kind =
                status < 400 ? AuditOutcome.DONE : status < 500 ? AuditOutcome.REFUSED : AuditOutcome.FAILED;
        return new AuditResult(kind, status, kind == AuditOutcome.DONE ? created : "", note);
    }
}
