package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalContext;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.approval.VoteResult;
import org.sallyport.auth.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.ApprovalLinkService;
import org.sallyport.runner.ApprovalService;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.secrets.SecretVault;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Application service for approvals and their links, shared by REST, MCP, console and links. Thread-safe. */
@ApplicationScoped
public class ApprovalFacade {
    @Inject
    ApprovalService approvalService;

    @Inject
    ApprovalStore approvals;

    @Inject
    ApprovalLinkService links;

    @Inject
    SecretVault vault;

    /**
     * Counts a vote and returns the approval.
     *
     * @throws ProblemException if the vote does not count
     */
    public ObjectNode vote(Caller caller, UUID id, ApprovalVote ballot) {
        ApprovalService.CastVoteResult reply = approvalService.vote(caller.tenant(), id, ballot);
        if (reply instanceof ApprovalService.CastVoteResult.SelfApprovalRefused) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "this key submitted the execution; let another approver decide (setting "
                            + "sallyport.approvals.allow-self-approval)");
        } else if (reply instanceof ApprovalService.CastVoteResult.InvalidVote unfit) {
            throw new ProblemException(ProblemType.VALIDATION, unfit.reason());
        }
        VoteResult tally = ((ApprovalService.CastVoteResult.VoteSubmitted) reply).result();
        if (tally instanceof VoteResult.VoteDecided decided) {
            return showAfterVote(caller, decided.approval());
        } else if (tally instanceof VoteResult.VoteCounted counted) {
            return showAfterVote(caller, counted.approval());
        }
        throw rejectedVote(tally, id);
    }

    private static ProblemException rejectedVote(VoteResult tally, UUID id) {
        if (tally instanceof VoteResult.VoteTooLate late) {
            return new ProblemException(
                    ProblemType.ALREADY_DECIDED,
                    "the approval is " + late.approval().state().name().toLowerCase(Locale.ROOT)
                            + ", or this key approved it before; nothing was changed");
        } else if (tally instanceof VoteResult.VoteLinkUsed) {
            return new ProblemException(ProblemType.LINK_USED, "this link was already used; a link works once");
        } else if (tally instanceof VoteResult.VoteLinkInvalid) {
            return new ProblemException(
                    ProblemType.LINK_OVER, "the link has expired or was revoked; nothing was changed");
        } else if (tally instanceof VoteResult.VoteExecutionEnded) {
            return new ProblemException(
                    ProblemType.ALREADY_TERMINAL, "the execution that asked has ended; there is nothing to decide");
        }
        return RequestContexts.approvalNotFound(id.toString());
    }

    /**
     * Creates a link and returns it; its token is returned only here.
     *
     * @throws ProblemException if the link may not be created
     */
    public ObjectNode createLink(Caller caller, UUID id, Duration validity) {
        ApprovalLinkService.CreateLinkResult minted = links.createLink(caller, id, validity);
        if (minted instanceof ApprovalLinkService.CreateLinkResult.LinkCreated created) {
            ObjectNode json = ExecutionMapper.object();
            json.put("id", created.link().id().toString());
            json.put("approval", id.toString());
            json.put("token", created.token());
            json.put("path", "/console/approval#" + created.token());
            json.put("expiresAt", created.link().expiresAt().toString());
            return json;
        } else if (minted instanceof ApprovalLinkService.CreateLinkResult.SelfApprovalLinkRefused) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "this key submitted the execution; let another approver decide (setting "
                            + "sallyport.approvals.allow-self-approval)");
        } else if (minted instanceof ApprovalLinkService.CreateLinkResult.ApprovalAlreadyDecided decided) {
            throw new ProblemException(
                    ProblemType.ALREADY_DECIDED,
                    "the approval is " + decided.approval().state().name().toLowerCase(Locale.ROOT)
                            + ", or it has expired; no link was created");
        } else if (minted instanceof ApprovalLinkService.CreateLinkResult.OutcomeNotLinkable) {
            throw outcomeNotDecidableByLink();
        } else if (minted instanceof ApprovalLinkService.CreateLinkResult.TooManyLinks) {
            throw new ProblemException(
                    ProblemType.TOO_MANY_LINKS,
                    "the approval has " + ApprovalLinkService.MAX_LINKS_PER_MAKER
                            + " valid links of this caller, or " + ApprovalLinkService.MAX_LINKS
                            + " in total; revoke one, or use one");
        }
        throw RequestContexts.approvalNotFound(id.toString());
    }

    /** The problem that a link cannot decide the outcome of a call. */
    public static ProblemException outcomeNotDecidableByLink() {
        return new ProblemException(
                ProblemType.VALIDATION,
                "a link cannot decide this approval, because it asks for the result of a call; use the console");
    }

    /**
     * Revokes a link.
     *
     * @throws ProblemException if the approval has no such link
     */
    public void revokeLink(Caller caller, UUID id, String link) {
        if (!ExecutionId.parse(link)
                .map(named -> links.revoke(caller.tenant(), id, named.value()))
                .orElse(false)) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND,
                    "there is no link '" + RequestContexts.abbreviate(link) + "' of this approval");
        }
    }

    /** The approval as {@code GET /approvals/{id}} shows it, without secrets. */
    public ObjectNode show(Caller caller, Approval approval) {
        return show(caller, List.of(approval)).get(0);
    }

    /** Approvals of the caller's tenant in the same form as {@link #show(Caller, Approval)}. */
    List<ObjectNode> show(Caller caller, List<Approval> page) {
        return show(
                caller,
                page,
                approvals.findContexts(
                        caller.tenant(), page.stream().map(Approval::id).toList()));
    }

    private List<ObjectNode> show(Caller caller, List<Approval> page, Map<UUID, ApprovalContext> backgrounds) {
        TraceRedactor clean = new TraceRedactor(vault.redactorFor(caller.tenant()));
        return page.stream()
                .map(approval -> ApprovalMapper.approval(
                        clean.redact(approval),
                        clean.redact(backgrounds.getOrDefault(approval.id(), ApprovalContext.NONE))))
                .toList();
    }

    /**
     * Shows the approval without its context if the store is unavailable: the vote counts, so the response must not be
     * an error.
     */
    private ObjectNode showAfterVote(Caller caller, Approval approval) {
        try {
            return show(caller, approval);
        } catch (StoreUnavailableException e) {
            return show(caller, List.of(approval), Map.of()).get(0);
        }
    }
}
