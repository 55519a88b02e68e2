package org.sallyport.approval;

import java.util.Optional;
import java.util.UUID;
import org.sallyport.tool.Json;

/**
 * The vote of one person.
 *
 * @param voter id of the person's key
 * @param approve whether the person approves
 * @param wholeExecution whether the approval also covers later calls of this execution with the same tool and arguments
 * @param editedArguments arguments to call with instead of the shown ones
 * @param result for {@link ApprovalKind#OUTCOME}: the result of the call; for {@link ApprovalKind#QUESTION}: the answer
 *     for the script
 * @param note the person's reason
 * @param linkId the link that the person used, which counts once
 */
public record ApprovalVote(
        String voter,
        boolean approve,
        boolean wholeExecution,
        Optional<Json> editedArguments,
        Optional<Json> result,
        String note,
        Optional<UUID> linkId) {

    /** Creates a vote without a link. */
    public ApprovalVote(
            String voter,
            boolean approve,
            boolean wholeExecution,
            Optional<Json> editedArguments,
            Optional<Json> result,
            String note) {
        this(voter, approve, wholeExecution, editedArguments, result, note, Optional.empty());
    }

    /** Returns a copy with these arguments. */
    public ApprovalVote withArguments(Json arguments) {
        return new ApprovalVote(voter, approve, wholeExecution, Optional.of(arguments), result, note, linkId);
    }

    /** Returns a copy that uses this link. */
    public ApprovalVote withLink(UUID usedLink) {
        return new ApprovalVote(voter, approve, wholeExecution, editedArguments, result, note, Optional.of(usedLink));
    }
}
