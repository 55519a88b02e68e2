package org.sallyport.policy;

import java.time.Duration;
import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * How people are asked.
 *
 * @param approvers how many must say yes; one no is enough
 * @param patience how long they have
 * @param atExpiry what is taken for their answer afterwards
 * @param reason why they are asked, in words for them
 * @param reminders when they are reminded
 */
public record Terms(int approvers, Duration patience, AtExpiry atExpiry, String reason, Reminders reminders) {
    /** How long people have unless a rule says otherwise. */
    public static final Duration PATIENCE = Duration.ofDays(7);

    /**
     * What silence means.
     *
     * @param kind what is done
     * @param value what the call is answered, for {@link Kind#VALUE} and no other
     */
    public record AtExpiry(Kind kind, Optional<Json> value) {
        /** The call fails. */
        public static final AtExpiry DENY = new AtExpiry(Kind.DENY, Optional.empty());

        /** The call is made. */
        public static final AtExpiry APPROVE = new AtExpiry(Kind.APPROVE, Optional.empty());

        /** What may be done. */
        public enum Kind {
            DENY,
            APPROVE,
            /** The call is answered with a value, and not made. */
            VALUE
        }

        public AtExpiry {
            if (value.isPresent() != (kind == Kind.VALUE)) {
                throw new IllegalArgumentException("a value is for calls that are answered with one");
            }
        }

        /** The call is answered with a value, and not made. */
        public static AtExpiry value(Json value) {
            return new AtExpiry(Kind.VALUE, Optional.of(value));
        }
    }

    public Terms {
        if (approvers < 1) {
            throw new IllegalArgumentException("somebody must be asked");
        }
    }

    /** Without reminders. */
    public Terms(int approvers, Duration patience, AtExpiry atExpiry, String reason) {
        this(approvers, patience, atExpiry, reason, Reminders.NONE);
    }
}
