package org.sallyport.policy;

import java.time.Duration;
import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * Terms of an approval.
 *
 * @param requiredApprovals number of approving votes required; one denying vote is sufficient to deny
 * @param timeout how long people have to decide
 * @param expiryAction action after the timeout
 * @param reason why the approval is required, for people
 * @param reminders schedule of reminders
 */
public record ApprovalTerms(
        int requiredApprovals, Duration timeout, ExpiryAction expiryAction, String reason, ReminderSchedule reminders) {
    /** Timeout of an approval when the rule names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofDays(7);

    /**
     * The action when an approval expires.
     *
     * @param kind kind of action
     * @param value answer of the call, for {@link ExpiryActionKind#VALUE} only
     */
    public record ExpiryAction(ExpiryActionKind kind, Optional<Json> value) {
        /** The call fails. */
        public static final ExpiryAction DENY = new ExpiryAction(ExpiryActionKind.DENY, Optional.empty());

        /** The call is made. */
        public static final ExpiryAction APPROVE = new ExpiryAction(ExpiryActionKind.APPROVE, Optional.empty());

        /** Kind of an expiry action. */
        public enum ExpiryActionKind {
            DENY,
            APPROVE,
            /** The call is not made and is answered with a value. */
            VALUE
        }

        public ExpiryAction {
            if (value.isPresent() != (kind == ExpiryActionKind.VALUE)) {
                throw new IllegalArgumentException("a value is required for the kind VALUE, and allowed only there");
            }
        }

        /** Answers the call with a value instead of making it. */
        public static ExpiryAction value(Json value) {
            return new ExpiryAction(ExpiryActionKind.VALUE, Optional.of(value));
        }
    }

    public ApprovalTerms {
        if (requiredApprovals < 1) {
            throw new IllegalArgumentException("at least one approval must be required");
        }
    }

    /** Creates terms without reminders. */
    public ApprovalTerms(int requiredApprovals, Duration timeout, ExpiryAction expiryAction, String reason) {
        this(requiredApprovals, timeout, expiryAction, reason, ReminderSchedule.NONE);
    }
}
