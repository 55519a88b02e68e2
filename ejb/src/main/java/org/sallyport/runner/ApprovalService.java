package org.sallyport.runner;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.approval.VoteResult;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.ToolGrants;
import org.sallyport.redaction.RedactedValueRestorer;
import org.sallyport.redaction.Redactor;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/** Records the decisions of approvers on what executions may do. Thread-safe. */
public final class ApprovalService {
    private static final ToolGrants ALL_TOOLS = new ToolGrants(List.of("*"));

    private static final String REDACTION_MOVED =
            "the arguments contain [redacted] where it was not shown: keep hidden values in place, or replace them";

    private final ApprovalStore store;
    private final ToolCallAuthorizer authorizer;
    private final JobDispatcher dispatch;
    private final ExecutionRunner runner;
    private final Function<String, Redactor> redactions;
    private final BiFunction<String, ExecutionId, Optional<String>> capabilityOfExecution;
    private final boolean selfApprovalAllowed;

    /**
     * @param redactions returns the redactor for values that a tenant's users must not see
     * @param running returns which capability an execution of a tenant runs, as {@code name@version}, if it runs one;
     *     waits for the store
     * @param ownAllowed whether the submitter of an execution may decide its approvals
     */
    public ApprovalService(
            ApprovalStore store,
            ToolCallAuthorizer gate,
            JobDispatcher dispatch,
            ExecutionRunner runner,
            Function<String, Redactor> redactions,
            BiFunction<String, ExecutionId, Optional<String>> running,
            boolean ownAllowed) {
        this.store = store;
        this.authorizer = gate;
        this.dispatch = dispatch;
        this.runner = runner;
        this.redactions = redactions;
        this.capabilityOfExecution = running;
        this.selfApprovalAllowed = ownAllowed;
    }

    /** Result of a vote. */
    public sealed interface CastVoteResult {
        /** The vote was passed to the store. */
        record VoteSubmitted(VoteResult result) implements CastVoteResult {}

        /** The approval belongs to an execution of the voter, and another approver must decide it. */
        record SelfApprovalRefused() implements CastVoteResult {}

        /**
         * The vote does not fit the approval.
         *
         * @param reason what is wrong with the vote
         */
        record InvalidVote(String reason) implements CastVoteResult {}
    }

    /** Returns whether another approver must decide, because the approval belongs to an execution of the caller. */
    public boolean needsOtherApprover(Approval approval, String caller) {
        return !selfApprovalAllowed && approval.requester().equals(caller);
    }

    /** Votes on an approval of {@code tenant}. A vote that decides it resumes the execution. */
    public CastVoteResult vote(String tenant, UUID id, ApprovalVote ballot) {
        Optional<Approval> found = store.find(tenant, id);
        if (found.isEmpty()) {
            return new CastVoteResult.VoteSubmitted(new VoteResult.VoteApprovalNotFound());
        }
        Approval approval = found.get();
        if (needsOtherApprover(approval, ballot.voter())) {
            return new CastVoteResult.SelfApprovalRefused();
        }
        ApprovalVote meant = ballot;
        if (ballot.editedArguments().isPresent()) {
            Optional<Json> whole = RedactedValueRestorer.restore(
                    ballot.editedArguments().get(), approval.request().arguments(), redactions.apply(tenant));
            if (whole.isEmpty()) {
                return new CastVoteResult.InvalidVote(REDACTION_MOVED);
            }
            meant = ballot.withArguments(whole.get());
        }
        Optional<String> unfit = findProblem(tenant, approval, meant);
        if (unfit.isPresent()) {
            return new CastVoteResult.InvalidVote(unfit.get());
        }
        VoteResult tally = store.vote(tenant, id, meant);
        if (tally instanceof VoteResult.VoteDecided decided) {
            decided.resumedJob().ifPresent(dispatch::enqueue);
            runner.poll();
        }
        return new CastVoteResult.VoteSubmitted(tally);
    }

    private Optional<String> findProblem(String tenant, Approval approval, ApprovalVote ballot) {
        ApprovalKind kind = approval.request().kind();
        if (ballot.result().isPresent() && kind == ApprovalKind.CALL) {
            return Optional.of(
                    "a result can be given only for a call whose outcome is unknown, or for a question of a script");
        }
        boolean adds = ballot.editedArguments().isPresent() || ballot.result().isPresent() || ballot.wholeExecution();
        if (approval.request().terms().requiredApprovals() > 1 && adds) {
            return Optional.of(
                    "a vote on an approval that needs several approvers cannot edit arguments, give a result, or"
                            + " approve the whole execution");
        }
        if (ballot.editedArguments().isEmpty()) {
            return Optional.empty();
        }
        if (kind != ApprovalKind.CALL) {
            return Optional.of("there are no arguments to edit");
        }
        return findPolicyViolation(tenant, approval, ballot.editedArguments().get());
    }

    /** Checks arguments that an approver edited against the policy, like arguments of a script. */
    private Optional<String> findPolicyViolation(String tenant, Approval approval, Json edited) {
        PolicyContext situation = new PolicyContext(tenant, List::of, approval.createdAt())
                .withCapability(
                        capabilityOfExecution.apply(tenant, approval.request().execution()));
        ToolCallAuthorizer.AuthorizationDecision verdict =
                authorizer.authorize(ALL_TOOLS, approval.request().tool(), edited, situation);
        return EditedArgumentsCheck.findViolation(approval, verdict).map(ToolError::message);
    }
}
