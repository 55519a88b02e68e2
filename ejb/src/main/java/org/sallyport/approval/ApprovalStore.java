package org.sallyport.approval;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/**
 * Where approvals live. Every method is one short transaction; times are the store's own clock. All throw {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ApprovalStore {

    /**
     * Asks, unless the same was asked before. What its execution may do again since somebody approved it for the whole
     * execution is decided at once.
     */
    Approval requestApproval(ApprovalRequest question);

    /** One of this tenant. */
    Optional<Approval> find(String tenant, UUID id);

    /**
     * Newest first.
     *
     * @param open only those that wait for a person, of executions that have not ended
     * @param before only those with a smaller id, when given
     * @param limit at most so many
     */
    List<Approval> list(String tenant, boolean open, Optional<UUID> before, int limit);

    /** What is known beside each of these of this tenant, a page of them at most at once; nothing of those that it has not. */
    Map<UUID, ApprovalContext> findContexts(String tenant, List<UUID> approvals);

    /** What waits for a person of one execution of this tenant, oldest first, at most {@code limit}. */
    List<Approval> listPending(String tenant, ExecutionId execution, int limit);

    /**
     * Counts a vote; when it decides, a parked execution that waits for approvals goes on. One by a link uses the link up in the same
     * transaction, and changes nothing when the link does not count any more.
     */
    VoteResult vote(String tenant, UUID id, ApprovalVote ballot);

    /** Its execution has heard of the decision. */
    void markNotified(UUID id);

    /** Wakes {@code execution} if it was parked for approvals of which one was decided before it was parked. */
    boolean resumeIfDecided(ExecutionId execution);

    /**
     * Ends what nobody answered in time, and wakes executions that are parked though what they wait for was decided.
     *
     * @return the executions that are to go on, at most {@code limit}
     */
    List<ExecutionJob> sweep(int limit);

    /**
     * Reminds those who may decide of what it is time for: in one commit the reminder is counted at the approval, and stands in the
     * audit log. Of times that passed while nobody looked there is one reminder. Whoever else looks at the same time finds others.
     *
     * @param limit how many are looked at, also of those that nobody is to be reminded of any more
     * @return how many reminders
     */
    int recordDueReminders(int limit);
}
