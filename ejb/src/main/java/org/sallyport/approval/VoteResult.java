package org.sallyport.approval;

import java.util.Optional;
import org.sallyport.execution.ExecutionJob;

/** The result of a vote. */
public sealed interface VoteResult {

    /**
     * The vote decided the approval.
     *
     * @param resumedJob job of the execution, if it was parked and is to resume
     */
    record VoteDecided(Approval approval, Optional<ExecutionJob> resumedJob) implements VoteResult {}

    /** The vote counts; more approving votes are required. */
    record VoteCounted(Approval approval) implements VoteResult {}

    /** The vote came after the decision, or was a repetition. It changed nothing. */
    record VoteTooLate(Approval approval) implements VoteResult {}

    /** The link of the vote has already been used. The vote changed nothing. */
    record VoteLinkUsed() implements VoteResult {}

    /** The link of the vote has expired, was revoked, or belongs to another approval. The vote changed nothing. */
    record VoteLinkInvalid() implements VoteResult {}

    /** The execution of the approval has ended. */
    record VoteExecutionEnded(Approval approval) implements VoteResult {}

    /** The approval does not exist. */
    record VoteApprovalNotFound() implements VoteResult {}
}
