package org.sallyport.approval;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;

/**
 * A question that people were asked, and what they have said by now.
 *
 * @param id its id, greater than those of older ones
 * @param request what is asked
 * @param hash of what was shown: {@link ApprovalRequest#hash()}
 * @param requester id of the key that submitted the execution
 * @param state how far it is
 * @param createdAt since when it is asked
 * @param expiresAt until when
 * @param voters ids of the keys that said yes so far
 * @param decision what was decided, once it was
 * @param reminderStatus how those who may decide were reminded of it
 */
public record Approval(
        UUID id,
        ApprovalRequest request,
        String hash,
        String requester,
        ApprovalState state,
        Instant createdAt,
        Instant expiresAt,
        List<String> voters,
        Optional<ApprovalDecision> decision,
        ReminderStatus reminderStatus) {
    public Approval {
        voters = List.copyOf(voters);
    }

    /**
     * A decision.
     *
     * @param decidedBy id of the key that made it, empty when the time made it
     * @param decidedAt when
     * @param note why, in the person's words
     * @param editedArguments the arguments to call with in place of those that were shown
     * @param result for {@link ApprovalKind#OUTCOME}: what the call is known to have given; for {@link
     *     ApprovalKind#QUESTION}: what the script is told
     */
    public record ApprovalDecision(
            String decidedBy, Instant decidedAt, String note, Optional<Json> editedArguments, Optional<Json> result) {}

    /**
     * Reminders.
     *
     * @param count how many there were
     * @param lastAt when the last one was
     * @param nextAt when the next one will be, unless it is decided before
     */
    public record ReminderStatus(int count, Optional<Instant> lastAt, Optional<Instant> nextAt) {
        /** There was none, and there will be none. */
        public static final ReminderStatus NONE = new ReminderStatus(0, Optional.empty(), Optional.empty());
    }

    /** Whether the execution may do what it asked for; false as long as that is not decided. */
    public boolean isGranted() {
        return state == ApprovalState.APPROVED
                || state == ApprovalState.EXPIRED
                        && request.terms().expiryAction().kind() == ApprovalTerms.ExpiryAction.ExpiryActionKind.APPROVE;
    }

    /** What the call is answered without being made, once the time has decided so. */
    public Optional<Json> resultAtExpiry() {
        return state == ApprovalState.EXPIRED ? request.terms().expiryAction().value() : Optional.empty();
    }
}
