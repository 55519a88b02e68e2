package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.JournalReplay;

/** What one run asks of people, and hears from them. Waits for the store. */
final class RunApprovals {
    private static final Logger LOG = System.getLogger(RunApprovals.class.getName());
    /** People who are asked more than that at one time by one script read none of it. */
    static final int MAX_OPEN_APPROVALS = 20;

    private final ClaimedExecution claim;
    private final ApprovalStore approvals;
    private final JournalBuffer entries;
    private final BooleanSupplier flushBeforeEffect;
    private final JournalReplay replay;
    private final ToolCallDispatcher.PendingCallRegistry pendingCalls;
    private final DecisionListener decisionListener;
    /** What people have not decided yet, by the ordinals of the calls. */
    private final Map<Long, OpenApproval> openApprovals = new ConcurrentHashMap<>();
    /** Calls on which this run has heard a decision. */
    private final Set<Long> decidedCalls = ConcurrentHashMap.newKeySet();
    /** What is asked when people have decided on something else. */
    private final Queue<QueuedApproval> queuedApprovals = new ConcurrentLinkedQueue<>();
    /** Decisions that are in the journal of this run. */
    private final Set<UUID> journaledDecisions = ConcurrentHashMap.newKeySet();

    /** A call that waits for people. */
    private record OpenApproval(PendingCall.CallAwaitingApproval heldCall, Approval approval) {}

    /** A call on which people are to decide. */
    private record QueuedApproval(PendingCall.CallAwaitingApproval heldCall, ApprovalRequest question) {}

    /** What a decision leads to. */
    interface DecisionListener {
        /** @param perhaps whether an earlier run has heard it, and so may have sent the call */
        void onDecision(PendingCall.CallAwaitingApproval wanted, Approval approval, boolean perhaps);
    }

    /** @param beforeEffect stores all that came before; false when nothing may be asked any more */
    RunApprovals(
            ClaimedExecution claim,
            ApprovalStore approvals,
            JournalBuffer entries,
            BooleanSupplier beforeEffect,
            JournalReplay replay,
            ToolCallDispatcher.PendingCallRegistry book,
            DecisionListener next) {
        this.claim = claim;
        this.approvals = approvals;
        this.entries = entries;
        this.flushBeforeEffect = beforeEffect;
        this.replay = replay;
        this.pendingCalls = book;
        this.decisionListener = next;
    }

    /** The call is in the journal before people hear of it: who follows this run must find that it was held back. */
    void requestApproval(PendingCall.CallAwaitingApproval wanted, ApprovalRequest question) {
        if (openApprovals.size() >= MAX_OPEN_APPROVALS) {
            queuedApprovals.add(new QueuedApproval(wanted, question));
            pendingCalls.postpone(question.call());
            return;
        }
        if (!flushBeforeEffect.getAsBoolean()) {
            return;
        }
        Approval approval = approvals.requestApproval(question);
        if (!replay.hasRequestedApproval(approval.id())) {
            entries.addApprovalRequest(approval);
        }
        processApproval(new OpenApproval(wanted, approval));
    }

    private void processApproval(OpenApproval waiting) {
        Approval approval = waiting.approval();
        long ordinal = waiting.heldCall().call().ordinal();
        if (approval.state() == ApprovalState.PENDING) {
            openApprovals.put(ordinal, waiting);
            decidedCalls.remove(ordinal); // what was said before led to another question
            pendingCalls.postpone(ordinal);
            return;
        }
        boolean known = replay.decisions(ordinal).stream()
                .anyMatch(before -> before.approval().equals(approval.id()));
        if (!known && journaledDecisions.add(approval.id())) {
            entries.addApprovalDecision(approval);
        }
        decidedCalls.add(ordinal);
        decisionListener.onDecision(
                waiting.heldCall(), approval, known && waiting.heldCall().call().maybeSent());
        // Another question may be open by now: what became of the call.
        openApprovals.computeIfPresent(
                ordinal, (any, open) -> open.approval().id().equals(approval.id()) ? null : open);
        acknowledgeDecision(approval);
        requestNextQueued();
    }

    private void requestNextQueued() {
        QueuedApproval first = openApprovals.size() < MAX_OPEN_APPROVALS ? queuedApprovals.poll() : null;
        while (first != null && pendingCalls.isOpen(first.question().call())) {
            try {
                requestApproval(first.heldCall(), first.question());
                return;
            } catch (StoreUnavailableException e) {
                if (!JournalWriter.pauseBeforeRetry()) {
                    return;
                }
            }
        }
    }

    /** The call may have left by now: what fails here must not make it leave again. */
    private void acknowledgeDecision(Approval approval) {
        try {
            approvals.markNotified(approval.id());
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "approval {0} is told once more than it need be: {1}", approval.id(), e.getMessage());
        }
    }

    /** Until when people have time for the first of what they are asked; empty when they are asked nothing. */
    Optional<Instant> earliestExpiry() {
        return openApprovals.values().stream()
                .map(waiting -> waiting.approval().expiresAt())
                .min(Comparator.naturalOrder());
    }

    /** Whether people are asked, or are to be asked, about a call. */
    boolean isAwaitingApproval(long call) {
        return openApprovals.containsKey(call)
                || queuedApprovals.stream()
                        .anyMatch(waiting -> waiting.question().call() == call);
    }

    /** Whether this run has heard a decision on a call that still has no answer. */
    boolean hasDecidedCall() {
        return decidedCalls.stream().anyMatch(pendingCalls::isOpen);
    }

    /** Looks whether people have decided meanwhile. */
    void pollDecisions() {
        openApprovals.forEach((ordinal, waiting) -> approvals
                .find(claim.tenant(), waiting.approval().id())
                .filter(now -> now.state() != ApprovalState.PENDING && pendingCalls.isOpen(ordinal))
                .ifPresent(now -> processApproval(new OpenApproval(waiting.heldCall(), now))));
    }
}
