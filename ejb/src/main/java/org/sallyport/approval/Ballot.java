package org.sallyport.approval;

import java.util.Optional;
import java.util.UUID;
import org.sallyport.tool.Json;

/**
 * What one person says.
 *
 * @param by id of the person's key
 * @param yes whether it may be done
 * @param wholeExecution whether the same, with the same arguments, need not be asked again in this execution
 * @param edited the arguments to call with in place of those that were shown
 * @param result for {@link ApprovalKind#OUTCOME}: what the call gave; for {@link ApprovalKind#QUESTION}: what the script is told
 * @param note why, in the person's words
 * @param link the link that the person came by, which counts once
 */
public record Ballot(
        String by,
        boolean yes,
        boolean wholeExecution,
        Optional<Json> edited,
        Optional<Json> result,
        String note,
        Optional<UUID> link) {

    /** Of somebody who came by no link. */
    public Ballot(
            String by, boolean yes, boolean wholeExecution, Optional<Json> edited, Optional<Json> result, String note) {
        this(by, yes, wholeExecution, edited, result, note, Optional.empty());
    }

    /** The same with these arguments. */
    public Ballot with(Json arguments) {
        return new Ballot(by, yes, wholeExecution, Optional.of(arguments), result, note, link);
    }

    /** The same, by a link. */
    public Ballot by(UUID usedLink) {
        return new Ballot(by, yes, wholeExecution, edited, result, note, Optional.of(usedLink));
    }
}
