package org.sallyport.audit;

/** An actor exceeded the maximum number of actions per minute. Further actions are neither executed nor written. */
public final class AuditRateLimitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AuditRateLimitException(int maxPerMinute) {
        super("this key performed " + maxPerMinute + " audited actions within a minute; try again in a minute");
    }
}
