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
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Background;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.Question;
import org.sallyport.approval.Tally;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.PendingJob;

/** Approvals of one test, in memory. Wakes the executions of a {@link MemoryStore}. */
final class MemoryApprovals implements ApprovalStore {
    private final MemoryStore store;
    private final Map<UUID, Approval> asked = new LinkedHashMap<>();
    /** Decisions that their executions have heard, or will when they go on. */
    private final Set<UUID> told = new HashSet<>();

    /** What happens when people are to be reminded. */
    volatile Runnable reminding = () -> {};

    MemoryApprovals(MemoryStore store) {
        this.store = store;
    }

    @Override
    public synchronized Approval ask(Question question) {
        return asked.values().stream()
                .filter(known -> known.question().execution().equals(question.execution())
                        && known.question().call() == question.call()
                        && known.question().kind() == question.kind()
                        && known.question().round() == question.round())
                .findFirst()
                .orElseGet(() -> put(new Approval(
                        new UUID(0, asked.size() + 1),
                        question,
                        question.hash(),
                        "requester",
                        ApprovalState.PENDING,
                        Instant.EPOCH,
                        Instant.EPOCH.plus(question.terms().patience()),
                        List.of(),
                        Optional.empty(),
                        Approval.Reminded.NEVER)));
    }

    @Override
    public Map<UUID, Background> backgrounds(String tenant, List<UUID> approvals) {
        return Map.of();
    }

    private Approval put(Approval approval) {
        asked.put(approval.id(), approval);
        return approval;
    }

    /** The newest. */
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
    public synchronized List<Approval> pending(String tenant, ExecutionId execution, int limit) {
        return asked.values().stream()
                .filter(each -> each.question().execution().equals(execution))
                .filter(each -> each.state() == ApprovalState.PENDING)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized Tally vote(String tenant, UUID id, Ballot ballot) {
        Approval before = asked.get(id);
        if (before == null) {
            return new Tally.NotFound();
        }
        Approval after = decide(before, ballot.yes() ? ApprovalState.APPROVED : ApprovalState.DENIED, ballot);
        return new Tally.Decided(after, Optional.empty());
    }

    private Approval decide(Approval before, ApprovalState state, Ballot ballot) {
        Approval after = put(new Approval(
                before.id(),
                before.question(),
                before.hash(),
                before.requester(),
                state,
                before.createdAt(),
                before.expiresAt(),
                List.of(ballot.by()),
                Optional.of(
                        new Approval.Made(ballot.by(), Instant.EPOCH, ballot.note(), ballot.edited(), ballot.result())),
                before.reminded()));
        wake(before.question().execution());
        return after;
    }

    /** Nobody decides on whatever waits: the time does. */
    synchronized void expireAll() {
        Ballot silence = new Ballot("", false, false, Optional.empty(), Optional.empty(), "nobody decided in time");
        List.copyOf(asked.values()).stream()
                .filter(each -> each.state() == ApprovalState.PENDING)
                .forEach(each -> decide(each, ApprovalState.EXPIRED, silence));
    }

    /** Somebody approves whatever waits. */
    void approveAll() {
        List<Approval> open;
        synchronized (this) {
            open = asked.values().stream()
                    .filter(each -> each.state() == ApprovalState.PENDING)
                    .toList();
        }
        open.forEach(each -> vote(
                each.question().tool().toString(),
                each.id(),
                new Ballot("anna", true, false, Optional.empty(), Optional.empty(), "")));
    }

    @Override
    public synchronized void heard(UUID id) {
        told.add(id);
    }

    @Override
    public synchronized boolean wake(ExecutionId execution) {
        List<UUID> untold = asked.values().stream()
                .filter(each -> each.question().execution().equals(execution)
                        && each.state() != ApprovalState.PENDING
                        && !told.contains(each.id()))
                .map(Approval::id)
                .toList();
        synchronized (store) {
            if (!untold.isEmpty() && store.row(execution).state == ExecutionState.WAITING) {
                told.addAll(untold);
                store.row(execution).state = ExecutionState.PENDING;
                return true;
            }
            return false;
        }
    }

    @Override
    public List<PendingJob> sweep(int limit) {
        return List.of();
    }

    @Override
    public int remind(int limit) {
        reminding.run();
        return 0;
    }
}
