package org.sallyport.runner;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalContext;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.approval.VoteResult;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;

/** Approvals of one test, in memory. Resumes the executions of an {@link InMemoryExecutionStore}. */
final class InMemoryApprovalStore implements ApprovalStore {
    private final InMemoryExecutionStore store;
    private final Map<UUID, Approval> asked = new LinkedHashMap<>();
    /** Approvals whose decision the execution has received, or receives when it resumes. */
    private final Set<UUID> notified = new HashSet<>();

    /** Runs when reminders are due. */
    volatile Runnable reminding = () -> {};

    InMemoryApprovalStore(InMemoryExecutionStore store) {
        this.store = store;
    }

    @Override
    public synchronized Approval requestApproval(ApprovalRequest question) {
        return asked.values().stream()
                .filter(known -> known.request().execution().equals(question.execution())
                        && known.request().call() == question.call()
                        && known.request().kind() == question.kind()
                        && known.request().round() == question.round())
                .findFirst()
                .orElseGet(() -> put(new Approval(
                        new UUID(0, asked.size() + 1),
                        question,
                        question.hash(),
                        "requester",
                        ApprovalState.PENDING,
                        Instant.EPOCH,
                        Instant.EPOCH.plus(question.terms().timeout()),
                        List.of(),
                        Optional.empty(),
                        Approval.ReminderStatus.NONE)));
    }

    @Override
    public Map<UUID, ApprovalContext> findContexts(String tenant, List<UUID> approvals) {
        return Map.of();
    }

    private Approval put(Approval approval) {
        asked.put(approval.id(), approval);
        return approval;
    }

    /** The newest approval. */
    synchronized Approval last() {
        return new ArrayList<>(asked.values()).get(asked.size() - 1);
    }

    synchronized int size() {
        return asked.size();
    }

    @Override
    public synchronized Optional<Approval> find(String tenant, UUID id) {
        return Optional.ofNullable(asked.get(id));
    }

    @Override
    public synchronized List<Approval> list(String tenant, boolean open, Optional<UUID> before, int limit) {
        return List.copyOf(asked.values());
    }

    @Override
    public synchronized List<Approval> listPending(
            String tenant, ExecutionId execution, Optional<UUID> after, int limit) {
        return asked.values().stream()
                .filter(each -> after.isEmpty() || each.id().compareTo(after.get()) > 0)
                .filter(each -> each.request().execution().equals(execution))
                .filter(each -> each.state() == ApprovalState.PENDING)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized VoteResult vote(String tenant, UUID id, ApprovalVote ballot) {
        Approval before = asked.get(id);
        if (before == null) {
            return new VoteResult.VoteApprovalNotFound();
        }
        Approval after = decide(before, ballot.approve() ? ApprovalState.APPROVED : ApprovalState.DENIED, ballot);
        return new VoteResult.VoteDecided(after, Optional.empty());
    }

    private Approval decide(Approval before, ApprovalState state, ApprovalVote ballot) {
        Approval after = put(new Approval(
                before.id(),
                before.request(),
                before.hash(),
                before.requester(),
                state,
                before.createdAt(),
                before.expiresAt(),
                List.of(ballot.voter()),
                Optional.of(new Approval.ApprovalDecision(
                        ballot.voter(), Instant.EPOCH, ballot.note(), ballot.editedArguments(), ballot.result())),
                before.reminderStatus()));
        resumeIfDecided(before.request().execution());
        return after;
    }

    /** Lets all pending approvals expire. */
    synchronized void expireAll() {
        ApprovalVote silence =
                new ApprovalVote("", false, false, Optional.empty(), Optional.empty(), "no approver decided in time");
        List.copyOf(asked.values()).stream()
                .filter(each -> each.state() == ApprovalState.PENDING)
                .forEach(each -> decide(each, ApprovalState.EXPIRED, silence));
    }

    /** Approves all pending approvals. */
    void approveAll() {
        List<Approval> open;
        synchronized (this) {
            open = asked.values().stream()
                    .filter(each -> each.state() == ApprovalState.PENDING)
                    .toList();
        }
        open.forEach(each -> vote(
                each.request().tool().toString(),
                each.id(),
                new ApprovalVote("anna", true, false, Optional.empty(), Optional.empty(), "")));
    }

    @Override
    public synchronized void markNotified(UUID id) {
        notified.add(id);
    }

    @Override
    public synchronized boolean resumeIfDecided(ExecutionId execution) {
        List<UUID> unnotified = asked.values().stream()
                .filter(each -> each.request().execution().equals(execution)
                        && each.state() != ApprovalState.PENDING
                        && !notified.contains(each.id()))
                .map(Approval::id)
                .toList();
        synchronized (store) {
            if (!unnotified.isEmpty() && store.row(execution).state == ExecutionState.WAITING) {
                notified.addAll(unnotified);
                store.row(execution).state = ExecutionState.PENDING;
                return true;
            }
            return false;
        }
    }

    @Override
    public List<ExecutionJob> sweep(int limit) {
        return List.of();
    }

    @Override
    public int recordDueReminders(int limit) {
        reminding.run();
        return 0;
    }
}
