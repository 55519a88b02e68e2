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
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Question;
import org.sallyport.execution.Claim;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Replay;

/** What one run asks of people, and hears from them. Waits for the store. */
final class Consents {
    private static final Logger LOG = System.getLogger(Consents.class.getName());
    /** People who are asked more than that at one time by one script read none of it. */
    static final int MOST_OPEN = 20;

    private final Claim claim;
    private final ApprovalStore approvals;
    private final EntryBuffer entries;
    private final BooleanSupplier beforeEffect;
    private final Replay replay;
    private final Departures.Book book;
    private final Next next;
    /** What people have not decided yet, by the ordinals of the calls. */
    private final Map<Long, Asked> asked = new ConcurrentHashMap<>();
    /** Calls on which this run has heard a decision. */
    private final Set<Long> settled = ConcurrentHashMap.newKeySet();
    /** What is asked when people have decided on something else. */
    private final Queue<Waiting> later = new ConcurrentLinkedQueue<>();
    /** Decisions that are in the journal of this run. */
    private final Set<UUID> heard = ConcurrentHashMap.newKeySet();

    /** A call that waits for people. */
    private record Asked(OutgoingCall.Wanted wanted, Approval approval) {}

    /** A call on which people are to decide. */
    private record Waiting(OutgoingCall.Wanted wanted, Question question) {}

    /** What a decision leads to. */
    interface Next {
        /** @param perhaps whether an earlier run has heard it, and so may have sent the call */
        void decided(OutgoingCall.Wanted wanted, Approval approval, boolean perhaps);
    }

    /** @param beforeEffect stores all that came before; false when nothing may be asked any more */
    Consents(
            Claim claim,
            ApprovalStore approvals,
            EntryBuffer entries,
            BooleanSupplier beforeEffect,
            Replay replay,
            Departures.Book book,
            Next next) {
        this.claim = claim;
        this.approvals = approvals;
        this.entries = entries;
        this.beforeEffect = beforeEffect;
        this.replay = replay;
        this.book = book;
        this.next = next;
    }

    /** The call is in the journal before people hear of it: who follows this run must find that it was held back. */
    void ask(OutgoingCall.Wanted wanted, Question question) {
        if (asked.size() >= MOST_OPEN) {
            later.add(new Waiting(wanted, question));
            book.postpone(question.call());
            return;
        }
        if (!beforeEffect.getAsBoolean()) {
            return;
        }
        Approval approval = approvals.ask(question);
        if (!replay.hasAsked(approval.id())) {
            entries.asked(approval);
        }
        settle(new Asked(wanted, approval));
    }

    private void settle(Asked waiting) {
        Approval approval = waiting.approval();
        long ordinal = waiting.wanted().call().ordinal();
        if (approval.state() == ApprovalState.PENDING) {
            asked.put(ordinal, waiting);
            settled.remove(ordinal); // what was said before led to another question
            book.postpone(ordinal);
            return;
        }
        boolean known = replay.decisions(ordinal).stream()
                .anyMatch(before -> before.approval().equals(approval.id()));
        if (!known && heard.add(approval.id())) {
            entries.decided(approval);
        }
        settled.add(ordinal);
        next.decided(
                waiting.wanted(), approval, known && waiting.wanted().call().perhaps());
        // Another question may be open by now: what became of the call.
        asked.computeIfPresent(ordinal, (any, open) -> open.approval().id().equals(approval.id()) ? null : open);
        tellHeard(approval);
        askLater();
    }

    private void askLater() {
        Waiting first = asked.size() < MOST_OPEN ? later.poll() : null;
        while (first != null && book.isOpen(first.question().call())) {
            try {
                ask(first.wanted(), first.question());
                return;
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    return;
                }
            }
        }
    }

    /** The call may have left by now: what fails here must not make it leave again. */
    private void tellHeard(Approval approval) {
        try {
            approvals.heard(approval.id());
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "approval {0} is told once more than it need be: {1}", approval.id(), e.getMessage());
        }
    }

    /** Until when people have time for the first of what they are asked; empty when they are asked nothing. */
    Optional<Instant> patience() {
        return asked.values().stream()
                .map(waiting -> waiting.approval().expiresAt())
                .min(Comparator.naturalOrder());
    }

    /** Whether people are asked, or are to be asked, about a call. */
    boolean waitsFor(long call) {
        return asked.containsKey(call)
                || later.stream().anyMatch(waiting -> waiting.question().call() == call);
    }

    /** Whether this run has heard a decision on a call that still has no answer. */
    boolean anyUnderWay() {
        return settled.stream().anyMatch(book::isOpen);
    }

    /** Looks whether people have decided meanwhile. */
    void look() {
        asked.forEach((ordinal, waiting) -> approvals
                .find(claim.tenant(), waiting.approval().id())
                .filter(now -> now.state() != ApprovalState.PENDING && book.isOpen(ordinal))
                .ifPresent(now -> settle(new Asked(waiting.wanted(), now))));
    }
}
