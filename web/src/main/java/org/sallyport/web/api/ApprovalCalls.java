package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Locale;
import java.util.UUID;
import org.sallyport.access.Caller;
import org.sallyport.approval.Approval;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.Tally;
import org.sallyport.runner.ApprovalDesk;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Vault;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** What callers say to what executions ask, whichever door they came by. Thread-safe. */
@ApplicationScoped
public class ApprovalCalls {
    @Inject
    ApprovalDesk desk;

    @Inject
    Vault vault;

    /** Counts a vote, and shows the approval; {@link ProblemException} when it does not count. */
    public ObjectNode vote(Caller caller, UUID id, Ballot ballot) {
        ApprovalDesk.Reply reply = desk.vote(caller.tenant(), id, ballot);
        if (reply instanceof ApprovalDesk.Reply.Own) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "this key submitted the execution; let another approver decide (setting sallyport.approvals.own)");
        } else if (reply instanceof ApprovalDesk.Reply.Unfit unfit) {
            throw new ProblemException(ProblemType.VALIDATION, unfit.why());
        }
        Tally tally = ((ApprovalDesk.Reply.Voted) reply).tally();
        if (tally instanceof Tally.Decided decided) {
            return show(caller, decided.approval());
        } else if (tally instanceof Tally.Counted counted) {
            return show(caller, counted.approval());
        } else if (tally instanceof Tally.TooLate late) {
            throw new ProblemException(
                    ProblemType.ALREADY_DECIDED,
                    "the approval is " + late.approval().state().name().toLowerCase(Locale.ROOT)
                            + ", or this key approved it before; nothing was changed");
        } else if (tally instanceof Tally.Over) {
            throw new ProblemException(
                    ProblemType.ALREADY_TERMINAL, "the execution that asked has ended; nothing is to be decided");
        }
        throw Requests.noApproval(id.toString());
    }

    /** The approval as {@code GET /approvals/{id}} shows it: without secrets. */
    public ObjectNode show(Caller caller, Approval approval) {
        return ApprovalAnswers.approval(new WithoutSecrets(vault.redaction(caller.tenant())).of(approval));
    }
}
