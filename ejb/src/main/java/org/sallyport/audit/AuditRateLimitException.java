package org.sallyport.audit;

/** An actor exceeded the maximum number of actions per minute. Further actions are neither executed nor written. */
public final class AuditRateLimitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AuditRateLimitException(int most) {
        super("this key did " + most + " things within a minute of which the audit log tells; go on in a minute");
    }
}
