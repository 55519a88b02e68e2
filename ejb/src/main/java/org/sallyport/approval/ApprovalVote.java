package org.sallyport.approval;

import java.util.Optional;
import java.util.UUID;
import org.sallyport.tool.Json;

/**
 * What one person says.
 *
 * @param voter id of the person's key
 * @param approve whether it may be done
 * @param wholeExecution whether the same, with the same arguments, need not be asked again in this execution
 * @param editedArguments the arguments to call with in place of those that were shown
 * @param result for {@link ApprovalKind#OUTCOME}: what the call gave; for {@link ApprovalKind#QUESTION}: what the script is told
 * @param note why, in the person's words
 * @param linkId the link that the person came by, which counts once
 */
public record ApprovalVote(
        String voter,
        boolean approve,
        boolean wholeExecution,
        Optional<Json> editedArguments,
        Optional<Json> result,
        String note,
        Optional<UUID> linkId) {

    /** Of somebody who came by no link. */
    public ApprovalVote(
            String voter,
            boolean approve,
            boolean wholeExecution,
            Optional<Json> editedArguments,
            Optional<Json> result,
            String note) {
        this(voter, approve, wholeExecution, editedArguments, result, note, Optional.empty());
    }

    /** The same with these arguments. */
    public ApprovalVote withArguments(Json arguments) {
        return new ApprovalVote(voter, approve, wholeExecution, Optional.of(arguments), result, note, linkId);
    }

    /** The same, by a link. */
    public ApprovalVote withLink(UUID usedLink) {
        return new ApprovalVote(voter, approve, wholeExecution, editedArguments, result, note, Optional.of(usedLink));
    }
}
