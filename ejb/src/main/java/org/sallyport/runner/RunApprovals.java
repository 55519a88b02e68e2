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

/** Requests the approvals of one run and processes their decisions. Waits for the store. */
final class RunApprovals {
    private static final Logger LOG = System.getLogger(RunApprovals.class.getName());
    /** Maximum number of open approvals of one run. With more at once, approvers would not read them. */
    static final int MAX_OPEN_APPROVALS = 20;

    private final ClaimedExecution claim;
    private final ApprovalStore approvals;
    private final JournalBuffer entries;
    private final BooleanSupplier flushBeforeEffect;
    private final JournalReplay replay;
    private final ToolCallDispatcher.PendingCallRegistry pendingCalls;
    private final DecisionListener decisionListener;
    /** Approvals without a decision, by call ordinal. */
    private final Map<Long, OpenApproval> openApprovals = new ConcurrentHashMap<>();
    /** Ordinals of calls for which this run has processed a decision. */
    private final Set<Long> decidedCalls = ConcurrentHashMap.newKeySet();
    /** Approvals to request once an open one is decided. */
    private final Queue<QueuedApproval> queuedApprovals = new ConcurrentLinkedQueue<>();
    /** Approvals whose decision this run has journaled. */
    private final Set<UUID> journaledDecisions = ConcurrentHashMap.newKeySet();

    /** A call with an open approval. */
    private record OpenApproval(PendingCall.CallAwaitingApproval heldCall, Approval approval) {}

    /** A call whose approval is not requested yet. */
    private record QueuedApproval(PendingCall.CallAwaitingApproval heldCall, ApprovalRequest question) {}

    /** Handles decisions. */
    interface DecisionListener {
        /** @param maybeSent whether an earlier run received the decision, and so may have sent the call */
        void onDecision(PendingCall.CallAwaitingApproval wanted, Approval approval, boolean maybeSent);
    }

    /** @param beforeEffect stores all earlier entries; returns false when no approval may be requested any more */
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

    /**
     * Requests an approval, or queues it while too many are open. Stores the call in the journal first: the next run
     * must find that the call was held for approval.
     */
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
            decidedCalls.remove(ordinal); // the earlier decision led to this new approval
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
        // A new approval for the same call may be open by now: the one that asks for its outcome.
        openApprovals.computeIfPresent(
                ordinal, (any, open) -> open.approval().id().equals(approval.id()) ? null : open);
        acknowledgeDecision(approval);
        requestNextQueued();
    }

    private void requestNextQueued() {
        QueuedApproval first = openApprovals.size() < MAX_OPEN_APPROVALS ? queuedApprovals.poll() : null;
        if (first != null) {
            requestQueued(first);
        }
    }

    private void requestQueued(QueuedApproval queued) {
        StoreRetry.runWhileUnavailable(
                () -> requestApproval(queued.heldCall(), queued.question()),
                () -> !pendingCalls.isOpen(queued.question().call()));
    }

    /**
     * Marks the decision as received. The call may already have been sent, so an error here must not make the run send
     * it again.
     */
    private void acknowledgeDecision(Approval approval) {
        try {
            approvals.markNotified(approval.id());
        } catch (StoreUnavailableException e) {
            LOG.log(
                    Level.DEBUG,
                    "approval {0}: its decision is delivered again, because the receipt could not be stored: {1}",
                    approval.id(),
                    e.getMessage());
        }
    }

    /** Returns the earliest expiry of the open approvals; empty when there are none. */
    Optional<Instant> earliestExpiry() {
        return openApprovals.values().stream()
                .map(waiting -> waiting.approval().expiresAt())
                .min(Comparator.naturalOrder());
    }

    /** Returns whether an approval for the call is open or queued. */
    boolean isAwaitingApproval(long call) {
        return openApprovals.containsKey(call)
                || queuedApprovals.stream()
                        .anyMatch(waiting -> waiting.question().call() == call);
    }

    /** Returns whether a call with a processed decision still has no reply. */
    boolean hasDecidedCall() {
        return decidedCalls.stream().anyMatch(pendingCalls::isOpen);
    }

    /** Polls the store for decisions on open approvals. */
    void pollDecisions() {
        openApprovals.forEach((ordinal, waiting) -> approvals
                .find(claim.tenant(), waiting.approval().id())
                .filter(now -> now.state() != ApprovalState.PENDING && pendingCalls.isOpen(ordinal))
                .ifPresent(now -> processApproval(new OpenApproval(waiting.heldCall(), now))));
    }
}
