package org.sallyport.approval;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;

/**
 * A question to people and the votes so far.
 *
 * @param id id of the approval, greater than the ids of older ones
 * @param request the question
 * @param hash hash of what people were shown: {@link ApprovalRequest#hash()}
 * @param requester id of the key that submitted the execution
 * @param state state of the approval
 * @param createdAt when it was requested
 * @param expiresAt when it expires
 * @param voters ids of the keys that have approved so far
 * @param decision the decision, once there is one
 * @param reminderStatus reminders to the people who may decide
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
     * @param decidedBy id of the key that decided; empty when the approval expired
     * @param decidedAt when it was decided
     * @param note the person's reason
     * @param editedArguments arguments to call with instead of the shown ones
     * @param result for {@link ApprovalKind#OUTCOME}: the known result of the call; for {@link ApprovalKind#QUESTION}:
     *     the answer for the script
     */
    public record ApprovalDecision(
            String decidedBy, Instant decidedAt, String note, Optional<Json> editedArguments, Optional<Json> result) {}

    /**
     * The reminders of an approval.
     *
     * @param count number of reminders so far
     * @param lastAt time of the last reminder
     * @param nextAt time of the next reminder, unless the approval is decided before
     */
    public record ReminderStatus(int count, Optional<Instant> lastAt, Optional<Instant> nextAt) {
        /** No reminder so far and none to come. */
        public static final ReminderStatus NONE = new ReminderStatus(0, Optional.empty(), Optional.empty());
    }

    /** Returns whether the execution may make the call. False while the approval is undecided. */
    public boolean isGranted() {
        return state == ApprovalState.APPROVED
                || state == ApprovalState.EXPIRED
                        && request.terms().expiryAction().kind() == ApprovalTerms.ExpiryAction.ExpiryActionKind.APPROVE;
    }

    /** Returns the value that answers the call in place of the tool, when the approval expired with that effect. */
    public Optional<Json> resultAtExpiry() {
        return state == ApprovalState.EXPIRED ? request.terms().expiryAction().value() : Optional.empty();
    }
}
