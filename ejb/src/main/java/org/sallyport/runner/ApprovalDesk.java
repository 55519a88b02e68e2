package org.sallyport.runner;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.Tally;
import org.sallyport.bridge.CallGate;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Situation;
import org.sallyport.secret.HiddenParts;
import org.sallyport.secret.Redaction;
import org.sallyport.submission.JobDispatch;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/** Where people decide what executions may do. */
public final class ApprovalDesk {
    private static final Grants ANYTHING = new Grants(List.of("*"));

    private static final String MOVED =
            "the arguments hold [redacted] where it was not shown: leave what is hidden where it stands, or replace it";

    private final ApprovalStore store;
    private final CallGate gate;
    private final JobDispatch dispatch;
    private final Runner runner;
    private final Function<String, Redaction> redactions;
    private final BiFunction<String, ExecutionId, Optional<String>> running;
    private final boolean ownAllowed;

    /**
     * @param redactions what is hidden from a tenant's people
     * @param running which capability an execution of a tenant runs, as {@code name@version}, if it runs one; waits for the store
     * @param ownAllowed whether who submitted an execution may decide on what it asks
     */
    public ApprovalDesk(
            ApprovalStore store,
            CallGate gate,
            JobDispatch dispatch,
            Runner runner,
            Function<String, Redaction> redactions,
            BiFunction<String, ExecutionId, Optional<String>> running,
            boolean ownAllowed) {
        this.store = store;
        this.gate = gate;
        this.dispatch = dispatch;
        this.runner = runner;
        this.redactions = redactions;
        this.running = running;
        this.ownAllowed = ownAllowed;
    }

    /** What a person is told. */
    public sealed interface Reply {
        /** It was voted. */
        record Voted(Tally tally) implements Reply {}

        /** One's own executions are for others to approve. */
        record Own() implements Reply {}

        /**
         * The ballot does not fit what is asked.
         *
         * @param why what is wrong with it
         */
        record Unfit(String why) implements Reply {}
    }

    /** Whether others have to decide, since it is about an execution of the caller's own. */
    public boolean isOwn(Approval approval, String caller) {
        return !ownAllowed && approval.requester().equals(caller);
    }

    /** Votes on an approval of {@code tenant}. */
    public Reply vote(String tenant, UUID id, Ballot ballot) {
        Optional<Approval> found = store.find(tenant, id);
        if (found.isEmpty()) {
            return new Reply.Voted(new Tally.NotFound());
        }
        Approval approval = found.get();
        if (isOwn(approval, ballot.by())) {
            return new Reply.Own();
        }
        Ballot meant = ballot;
        if (ballot.edited().isPresent()) {
            Optional<Json> whole = HiddenParts.restored(
                    ballot.edited().get(), approval.question().arguments(), redactions.apply(tenant));
            if (whole.isEmpty()) {
                return new Reply.Unfit(MOVED);
            }
            meant = ballot.with(whole.get());
        }
        Optional<String> unfit = unfit(tenant, approval, meant);
        if (unfit.isPresent()) {
            return new Reply.Unfit(unfit.get());
        }
        Tally tally = store.vote(tenant, id, meant);
        if (tally instanceof Tally.Decided decided) {
            decided.woken().ifPresent(dispatch::send);
            runner.look();
        }
        return new Reply.Voted(tally);
    }

    private Optional<String> unfit(String tenant, Approval approval, Ballot ballot) {
        ApprovalKind kind = approval.question().kind();
        if (ballot.result().isPresent() && kind == ApprovalKind.CALL) {
            return Optional.of(
                    "a result can be told only of a call whose outcome is unknown, and of what a script asks");
        }
        boolean adds = ballot.edited().isPresent() || ballot.result().isPresent() || ballot.wholeExecution();
        if (approval.question().terms().approvers() > 1 && adds) {
            return Optional.of(
                    "where several must approve, all approve what was shown: nothing can be changed or added, and"
                            + " once only");
        }
        if (ballot.edited().isEmpty()) {
            return Optional.empty();
        }
        if (kind != ApprovalKind.CALL) {
            return Optional.of("there are no arguments to edit");
        }
        return refused(tenant, approval, ballot.edited().get());
    }

    /** What a person wrote is judged as what a script wrote. */
    private Optional<String> refused(String tenant, Approval approval, Json edited) {
        Situation situation = new Situation(tenant, List::of, approval.createdAt())
                .running(running.apply(tenant, approval.question().execution()));
        CallGate.Verdict verdict = gate.judge(ANYTHING, approval.question().tool(), edited, situation);
        return EditedCalls.fault(approval, verdict).map(ToolError::message);
    }
}
