package org.sallyport.approval;

import java.util.Optional;
import org.sallyport.execution.ExecutionJob;

/** What became of a vote. */
public sealed interface VoteResult {

    /**
     * It decided.
     *
     * @param resumedJob the execution, if it was parked and is to go on
     */
    record VoteDecided(Approval approval, Optional<ExecutionJob> resumedJob) implements VoteResult {}

    /** It counts; others must say yes too. */
    record VoteCounted(Approval approval) implements VoteResult {}

    /** It came after the decision, or a second time, and changed nothing. */
    record VoteTooLate(Approval approval) implements VoteResult {}

    /** The link that it came by has counted before; it changed nothing. */
    record VoteLinkUsed() implements VoteResult {}

    /** The link that it came by is over, taken back, or another one's; it changed nothing. */
    record VoteLinkInvalid() implements VoteResult {}

    /** Its execution has ended. */
    record VoteExecutionEnded(Approval approval) implements VoteResult {}

    /** There is no such approval. */
    record VoteApprovalNotFound() implements VoteResult {}
}
