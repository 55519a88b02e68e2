package org.sallyport.policy;

import java.time.Duration;
import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * How people are asked.
 *
 * @param requiredApprovals how many must say yes; one no is enough
 * @param timeout how long they have
 * @param expiryAction what is taken for their answer afterwards
 * @param reason why they are asked, in words for them
 * @param reminders when they are reminded
 */
public record ApprovalTerms(
        int requiredApprovals, Duration timeout, ExpiryAction expiryAction, String reason, ReminderSchedule reminders) {
    /** How long people have unless a rule says otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofDays(7);

    /**
     * What silence means.
     *
     * @param kind what is done
     * @param value what the call is answered, for {@link ExpiryActionKind#VALUE} and no other
     */
    public record ExpiryAction(ExpiryActionKind kind, Optional<Json> value) {
        /** The call fails. */
        public static final ExpiryAction DENY = new ExpiryAction(ExpiryActionKind.DENY, Optional.empty());

        /** The call is made. */
        public static final ExpiryAction APPROVE = new ExpiryAction(ExpiryActionKind.APPROVE, Optional.empty());

        /** What may be done. */
        public enum ExpiryActionKind {
            DENY,
            APPROVE,
            /** The call is answered with a value, and not made. */
            VALUE
        }

        public ExpiryAction {
            if (value.isPresent() != (kind == ExpiryActionKind.VALUE)) {
                throw new IllegalArgumentException("a value is for calls that are answered with one");
            }
        }

        /** The call is answered with a value, and not made. */
        public static ExpiryAction value(Json value) {
            return new ExpiryAction(ExpiryActionKind.VALUE, Optional.of(value));
        }
    }

    public ApprovalTerms {
        if (requiredApprovals < 1) {
            throw new IllegalArgumentException("somebody must be asked");
        }
    }

    /** Without reminders. */
    public ApprovalTerms(int requiredApprovals, Duration timeout, ExpiryAction expiryAction, String reason) {
        this(requiredApprovals, timeout, expiryAction, reason, ReminderSchedule.NONE);
    }
}
