package org.sallyport.audit;

/** An actor did so much within a minute that no more of it is done or written. */
public final class AuditRateLimitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AuditRateLimitException(int most) {
        super("this key did " + most + " things within a minute of which the audit log tells; go on in a minute");
    }
}
