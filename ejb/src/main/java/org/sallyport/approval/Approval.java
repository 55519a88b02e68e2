package org.sallyport.approval;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;

/**
 * A question that people were asked, and what they have said by now.
 *
 * @param id its id, greater than those of older ones
 * @param question what is asked
 * @param hash of what was shown: {@link Question#hash()}
 * @param requester id of the key that submitted the execution
 * @param state how far it is
 * @param createdAt since when it is asked
 * @param expiresAt until when
 * @param voters ids of the keys that said yes so far
 * @param decision what was decided, once it was
 * @param reminded how those who may decide were reminded of it
 */
public record Approval(
        UUID id,
        Question question,
        String hash,
        String requester,
        ApprovalState state,
        Instant createdAt,
        Instant expiresAt,
        List<String> voters,
        Optional<Made> decision,
        Reminded reminded) {
    public Approval {
        voters = List.copyOf(voters);
    }

    /**
     * A decision.
     *
     * @param by id of the key that made it, empty when the time made it
     * @param at when
     * @param note why, in the person's words
     * @param edited the arguments to call with in place of those that were shown
     * @param result for {@link ApprovalKind#OUTCOME}: what the call is known to have given; for {@link
     *     ApprovalKind#QUESTION}: what the script is told
     */
    public record Made(String by, Instant at, String note, Optional<Json> edited, Optional<Json> result) {}

    /**
     * Reminders.
     *
     * @param times how many there were
     * @param last when the last one was
     * @param next when the next one will be, unless it is decided before
     */
    public record Reminded(int times, Optional<Instant> last, Optional<Instant> next) {
        /** There was none, and there will be none. */
        public static final Reminded NEVER = new Reminded(0, Optional.empty(), Optional.empty());
    }

    /** Whether the execution may do what it asked for; false as long as that is not decided. */
    public boolean granted() {
        return state == ApprovalState.APPROVED
                || state == ApprovalState.EXPIRED && question.terms().atExpiry().kind() == Terms.AtExpiry.Kind.APPROVE;
    }

    /** What the call is answered without being made, once the time has decided so. */
    public Optional<Json> answer() {
        return state == ApprovalState.EXPIRED ? question.terms().atExpiry().value() : Optional.empty();
    }
}
