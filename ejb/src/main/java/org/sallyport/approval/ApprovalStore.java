package org.sallyport.approval;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/**
 * Stores approvals. Every method is one short transaction; times are those of the store's clock. All methods throw
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ApprovalStore {

    /**
     * Requests an approval, unless the same one was requested before. Decides it immediately when an earlier approval
     * covers the whole execution.
     */
    Approval requestApproval(ApprovalRequest question);

    /** Returns an approval of this tenant. */
    Optional<Approval> find(String tenant, UUID id);

    /**
     * Returns the tenant's approvals, newest first.
     *
     * @param open whether to return only undecided approvals of executions that have not ended
     * @param before only approvals with a smaller id, when given
     * @param limit maximum number of approvals
     */
    List<Approval> list(String tenant, boolean open, Optional<UUID> before, int limit);

    /**
     * Returns the contexts of these approvals of this tenant, at most one page of them per call. Approvals that the
     * tenant does not have are missing.
     */
    Map<UUID, ApprovalContext> findContexts(String tenant, List<UUID> approvals);

    /**
     * Returns the undecided approvals of one execution of this tenant, oldest first, at most {@code limit}.
     *
     * @param after only approvals with a greater id, when given
     */
    List<Approval> listPending(String tenant, ExecutionId execution, Optional<UUID> after, int limit);

    /**
     * Counts a vote. When it decides the approval, a parked execution that waits for approvals resumes. A vote with a
     * link marks the link as used in the same transaction, and changes nothing when the link is no longer valid. A vote
     * without an answer is repeated once; if it is stored already, it counts, but then its result has no job.
     */
    VoteResult vote(String tenant, UUID id, ApprovalVote ballot);

    /** Records that the execution has received the decision. */
    void markNotified(UUID id);

    /** Wakes {@code execution} if it was parked for approvals of which one was decided before it was parked. */
    boolean resumeIfDecided(ExecutionId execution);

    /**
     * Expires approvals that were not decided in time, and wakes executions that are still parked although their
     * approval was decided.
     *
     * @return jobs of the executions to resume, at most {@code limit}
     */
    List<ExecutionJob> sweep(int limit);

    /**
     * Records the reminders that are due. One commit counts each reminder at its approval and writes it to the audit
     * log. Several missed times give one reminder. Concurrent callers process different approvals.
     *
     * @param limit maximum number of approvals to process, including those that need no further reminder
     * @return number of reminders
     */
    int recordDueReminders(int limit);
}
