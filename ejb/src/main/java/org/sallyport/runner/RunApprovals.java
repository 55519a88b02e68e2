package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
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
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalReplay;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.tool.Json;

/**
 * Requests the approvals of one run and processes their decisions. While a call waits for people, which may take days,
 * its long arguments are not in memory: they are read again when it is approved. Waits for the store. One task at a
 * time changes the approvals.
 */
final class RunApprovals {
    private static final Logger LOG = System.getLogger(RunApprovals.class.getName());
    /** Maximum number of open approvals of one run. With more at once, approvers would not read them. */
    static final int MAX_OPEN_APPROVALS = 20;

    private final ClaimedExecution claim;
    private final ApprovalStore approvals;
    private final Journal journal;
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

    /**
     * A call with an open approval.
     *
     * @param droppedChars number of characters of the call's arguments if they are not in memory, else 0
     */
    private record OpenApproval(
            PendingCall.CallAwaitingApproval heldCall, UUID approval, Instant expiresAt, int droppedChars) {}

    /**
     * A call whose approval is not requested yet.
     *
     * @param droppedChars number of characters of the call's arguments if they are not in memory, else 0
     */
    private record QueuedApproval(
            PendingCall.CallAwaitingApproval heldCall, ApprovalRequest question, int droppedChars) {
        QueuedApproval withArguments(Json arguments, int dropped) {
            return new QueuedApproval(heldCall.withArguments(arguments), question.withArguments(arguments), dropped);
        }
    }

    /** Handles decisions. */
    interface DecisionListener {
        /** @param maybeSent whether an earlier run received the decision, and so may have sent the call */
        void onDecision(PendingCall.CallAwaitingApproval wanted, Approval approval, boolean maybeSent);
    }

    /** @param beforeEffect stores all earlier entries; returns false when no approval may be requested any more */
    RunApprovals(
            ClaimedExecution claim,
            EngineServices context,
            JournalBuffer entries,
            BooleanSupplier beforeEffect,
            JournalReplay replay,
            ToolCallDispatcher.PendingCallRegistry book,
            DecisionListener next) {
        this.claim = claim;
        this.approvals = context.approvals();
        this.journal = context.journal();
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
        if (!flushBeforeEffect.getAsBoolean()) {
            return;
        }
        if (openApprovals.size() >= MAX_OPEN_APPROVALS) {
            queuedApprovals.add(dropArguments(new QueuedApproval(wanted, question, 0)));
            pendingCalls.postpone(question.call());
            return;
        }
        Approval approval = approvals.requestApproval(question);
        if (!replay.hasRequestedApproval(approval.id())) {
            entries.addApprovalRequest(approval);
        }
        processApproval(wanted, approval);
    }

    /** Drops arguments that the journal contains. Those that an approver has edited stay: it does not. */
    private QueuedApproval dropArguments(QueuedApproval queued) {
        long call = queued.question().call();
        boolean stored = replay.decisions(call).isEmpty() && !decidedCalls.contains(call);
        return stored && pendingCalls.dropArguments(call)
                ? queued.withArguments(Json.EMPTY_OBJECT, argumentChars(queued.heldCall()))
                : queued;
    }

    private static int argumentChars(PendingCall.CallAwaitingApproval held) {
        return held.call().arguments().text().length();
    }

    private void processApproval(PendingCall.CallAwaitingApproval held, Approval approval) {
        long ordinal = held.call().ordinal();
        if (approval.state() == ApprovalState.PENDING) {
            int dropped = pendingCalls.dropArguments(ordinal) ? argumentChars(held) : 0;
            openApprovals.put(
                    ordinal,
                    new OpenApproval(
                            dropped == 0 ? held : held.withArguments(Json.EMPTY_OBJECT),
                            approval.id(),
                            approval.expiresAt(),
                            dropped));
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
        decisionListener.onDecision(held, approval, known && held.call().maybeSent());
        // A new approval for the same call may be open by now: the one that asks for its outcome.
        openApprovals.computeIfPresent(ordinal, (any, open) -> open.approval().equals(approval.id()) ? null : open);
        acknowledgeDecision(approval);
        requestNextQueued();
    }

    /** Requests the approval that was queued first, if another may be open and its arguments find memory. */
    private void requestNextQueued() {
        QueuedApproval first = openApprovals.size() < MAX_OPEN_APPROVALS ? queuedApprovals.peek() : null;
        if (first == null) {
            return;
        }
        long call = first.question().call();
        if (first.droppedChars() == 0 || !pendingCalls.isOpen(call)) {
            queuedApprovals.remove();
            requestQueued(first);
        } else if (pendingCalls.tryReserveDropped(call, first.droppedChars())) {
            Optional<Json> arguments =
                    StoreRetry.callWhileUnavailable(() -> readArguments(call), () -> !pendingCalls.isOpen(call));
            queuedApprovals.remove();
            arguments.ifPresent(read -> requestQueued(first.withArguments(read, 0)));
        }
    }

    /** Reads the arguments of a call from the journal. */
    private Json readArguments(long call) {
        TracePager pager = new TracePager(journal::readEntries, claim.fence().id());
        for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty(); page = pager.nextPage()) {
            for (TraceEvent event : page) {
                if (event instanceof TraceEvent.ToolStarted started && started.call() == call) {
                    return started.arguments();
                }
            }
        }
        throw new IllegalStateException("call " + call + " is not in the journal");
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
        return openApprovals.values().stream().map(OpenApproval::expiresAt).min(Comparator.naturalOrder());
    }

    /** Returns whether an approval is open or queued. */
    boolean isAwaitingAny() {
        return !openApprovals.isEmpty() || !queuedApprovals.isEmpty();
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

    /**
     * Polls the store for decisions on open approvals. A call whose arguments find no memory is processed by a later
     * poll.
     */
    void pollDecisions() {
        openApprovals.forEach((ordinal, waiting) -> approvals
                .find(claim.tenant(), waiting.approval())
                .filter(now -> now.state() != ApprovalState.PENDING && pendingCalls.isOpen(ordinal))
                .ifPresent(now -> processDecision(waiting, now)));
        requestNextQueued();
    }

    private void processDecision(OpenApproval waiting, Approval now) {
        PendingCall.CallAwaitingApproval held = waiting.heldCall();
        if (waiting.droppedChars() == 0) {
            processApproval(held, now);
        } else if (!now.isGranted()
                || pendingCalls.tryReserveDropped(held.call().ordinal(), waiting.droppedChars())) {
            processApproval(held.withArguments(now.request().arguments()), now);
        }
    }
}
