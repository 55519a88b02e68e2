package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.sallyport.access.Caller;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Background;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.Tally;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.ApprovalDesk;
import org.sallyport.runner.ApprovalLinks;
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
    ApprovalStore approvals;

    @Inject
    ApprovalLinks links;

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
            return voted(caller, decided.approval());
        } else if (tally instanceof Tally.Counted counted) {
            return voted(caller, counted.approval());
        }
        throw uncounted(tally, id);
    }

    private static ProblemException uncounted(Tally tally, UUID id) {
        if (tally instanceof Tally.TooLate late) {
            return new ProblemException(
                    ProblemType.ALREADY_DECIDED,
                    "the approval is " + late.approval().state().name().toLowerCase(Locale.ROOT)
                            + ", or this key approved it before; nothing was changed");
        } else if (tally instanceof Tally.LinkUsed) {
            return new ProblemException(ProblemType.LINK_USED, "this link was used; each counts once");
        } else if (tally instanceof Tally.LinkOver) {
            return new ProblemException(
                    ProblemType.LINK_OVER, "the link's time is over, or it was taken back; nothing was changed");
        } else if (tally instanceof Tally.Over) {
            return new ProblemException(
                    ProblemType.ALREADY_TERMINAL, "the execution that asked has ended; nothing is to be decided");
        }
        return Requests.noApproval(id.toString());
    }

    /** Makes a link, and shows it this once; {@link ProblemException} when there is to be none. */
    public ObjectNode link(Caller caller, UUID id, Duration patience) {
        ApprovalLinks.Minted minted = links.mint(caller, id, patience);
        if (minted instanceof ApprovalLinks.Minted.Made made) {
            ObjectNode json = Representation.object();
            json.put("id", made.link().id().toString());
            json.put("approval", id.toString());
            json.put("token", made.token());
            json.put("path", "/console/approval#" + made.token());
            json.put("expiresAt", made.link().expiresAt().toString());
            return json;
        } else if (minted instanceof ApprovalLinks.Minted.Own) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "this key submitted the execution; let another approver decide (setting sallyport.approvals.own)");
        } else if (minted instanceof ApprovalLinks.Minted.Decided decided) {
            throw new ProblemException(
                    ProblemType.ALREADY_DECIDED,
                    "the approval is " + decided.approval().state().name().toLowerCase(Locale.ROOT)
                            + ", or its time is over; no link was made");
        } else if (minted instanceof ApprovalLinks.Minted.Outcome) {
            throw ofOutcome();
        } else if (minted instanceof ApprovalLinks.Minted.TooMany) {
            throw new ProblemException(
                    ProblemType.TOO_MANY_LINKS,
                    "the approval has " + ApprovalLinks.MOST_OF_MAKER + " links of this caller that count, or "
                            + ApprovalLinks.MOST + " of all; take one back, or use one");
        }
        throw Requests.noApproval(id.toString());
    }

    /** No link decides what became of a call. */
    public static ProblemException ofOutcome() {
        return new ProblemException(
                ProblemType.VALIDATION,
                "no link decides this; decide it in the console: it wants to know what the call gave");
    }

    /** Takes a link back. */
    public void unlink(Caller caller, UUID id, String link) {
        if (!ExecutionId.parse(link)
                .map(named -> links.revoke(caller.tenant(), id, named.value()))
                .orElse(false)) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no link '" + Requests.shown(link) + "' of this approval");
        }
    }

    /** The approval as {@code GET /approvals/{id}} shows it: without secrets. */
    public ObjectNode show(Caller caller, Approval approval) {
        return show(caller, List.of(approval)).get(0);
    }

    /** Approvals of the caller's tenant in the same form. */
    List<ObjectNode> show(Caller caller, List<Approval> page) {
        return show(
                caller,
                page,
                approvals.backgrounds(
                        caller.tenant(), page.stream().map(Approval::id).toList()));
    }

    private List<ObjectNode> show(Caller caller, List<Approval> page, Map<UUID, Background> backgrounds) {
        WithoutSecrets clean = new WithoutSecrets(vault.redaction(caller.tenant()));
        return page.stream()
                .map(approval -> ApprovalAnswers.approval(
                        clean.of(approval), clean.of(backgrounds.getOrDefault(approval.id(), Background.NONE))))
                .toList();
    }

    /** A vote counts, whatever comes after it. */
    private ObjectNode voted(Caller caller, Approval approval) {
        try {
            return show(caller, approval);
        } catch (StoreUnavailableException e) {
            return show(caller, List.of(approval), Map.of()).get(0);
        }
    }
}
