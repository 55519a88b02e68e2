package org.sallyport.policy;

import java.time.Duration;

/**
 * How people are asked.
 *
 * @param approvers how many must say yes; one no is enough
 * @param patience how long they have
 * @param atExpiry what is taken for their answer afterwards
 * @param reason why they are asked, in words for them
 */
public record Terms(int approvers, Duration patience, AtExpiry atExpiry, String reason) {
    /** How long people have unless a rule says otherwise. */
    public static final Duration PATIENCE = Duration.ofDays(7);

    /** What silence means. */
    public enum AtExpiry {
        DENY,
        APPROVE
    }

    public Terms {
        if (approvers < 1) {
            throw new IllegalArgumentException("somebody must be asked");
        }
    }
}
