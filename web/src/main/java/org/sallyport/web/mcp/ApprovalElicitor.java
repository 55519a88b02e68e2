package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.secrets.SecretVault;
import org.sallyport.tool.Json;
import org.sallyport.web.ControlCharacterEscaper;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.ApprovalFacade;
import org.sallyport.web.api.ApprovalPage;
import org.sallyport.web.async.RetryingTask;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.RoleFilter;
import org.sallyport.web.security.RolesAllowed;

/** Asks the users of MCP clients to decide approvals that they may decide. Thread-safe. */
@Dependent
@RolesAllowed(Role.APPROVER)
public class ApprovalElicitor {
    private static final int MAX_PENDING = 100;
    /**
     * Maximum message length. A longer approval is not sent to the user, because the user must see all of it to decide.
     */
    private static final int MAX_MESSAGE_CHARS = 4_000;

    private static final int MAX_NOTE_LENGTH = 2_000;
    private static final String DECISION = "decision";
    private static final String NOTE = "note";
    private static final String APPROVE = "approve";
    private static final Map<String, Object> FORM_SCHEMA = Map.of(
            "type", "object",
            "properties",
                    Map.of(
                            DECISION,
                                    Map.of(
                                            "type", "string",
                                            "title", "Decision",
                                            "enum", List.of(APPROVE, "deny")),
                            NOTE,
                                    Map.of(
                                            "type", "string",
                                            "title", "Note",
                                            "description", "Why, for the script and the record",
                                            "maxLength", MAX_NOTE_LENGTH)),
            "required", List.of(DECISION));

    private final ApprovalStore approvals;
    private final ApprovalFacade facade;
    private final CompletionWaiter waiter;
    private final AuditRecorder auditRecorder;
    private final RetryingTask retryingTask;
    private final SecretVault vault;
    private final boolean selfApprovalAllowed;

    @Inject
    public ApprovalElicitor(
            ApprovalStore approvals,
            ApprovalFacade calls,
            CompletionWaiter waiting,
            AuditRecorder deeds,
            RetryingTask insistence,
            SecretVault vault,
            Configuration configuration) {
        this.approvals = approvals;
        this.facade = calls;
        this.waiter = waiting;
        this.auditRecorder = deeds;
        this.retryingTask = insistence;
        this.vault = vault;
        this.selfApprovalAllowed = configuration.get(Settings.ALLOW_SELF_APPROVAL);
    }

    /**
     * The pending approvals of the caller's execution, oldest first, with secrets redacted: at most one
     * {@link ApprovalPage} of them.
     */
    List<Approval> pending(Caller caller, ExecutionId execution) {
        TraceRedactor shown = new TraceRedactor(vault.redactorFor(caller.tenant()));
        ApprovalPage page = ApprovalPage.read(
                (last, count) -> approvals.listPending(caller.tenant(), execution, last, count),
                Optional.empty(),
                MAX_PENDING,
                ApprovalPage.MAX_CHARS);
        return page.approvals().stream().map(shown::redact).toList();
    }

    /**
     * Asks the client's user, if the client supports elicitation and the user may decide. The response counts like any
     * other vote.
     */
    void elicit(ToolCallContext dialog, Approval approval) {
        String arguments =
                ControlCharacterEscaper.escape(approval.request().arguments().text());
        if (dialog.canElicit()
                && mayDecide(dialog.caller(), approval)
                && approval.request().kind() != ApprovalKind.OUTCOME
                && arguments.length() + expiryNotice(approval).length() <= MAX_MESSAGE_CHARS) {
            dialog.elicit(message(approval, arguments), FORM_SCHEMA)
                    .thenAccept(said -> waiter.delay(0).thenRun(() -> onResponse(dialog, approval, said)))
                    .exceptionally(failure -> null);
        }
    }

    private boolean mayDecide(Caller caller, Approval approval) {
        return RoleFilter.hasAnyRole(caller, RoleFilter.allowedRoles(ApprovalElicitor.class))
                && (selfApprovalAllowed || !approval.requester().equals(caller.id()));
    }

    /**
     * The text by which a user decides. It hides nothing but secrets, and escapes foreign text so that only lines of
     * this service begin a line.
     */
    static String message(Approval approval, String arguments) {
        if (approval.request().kind() == ApprovalKind.QUESTION) {
            return "The script of execution " + approval.request().execution() + " asks: "
                    + ControlCharacterEscaper.escape(approval.request().terms().reason())
                    + "\nwith " + arguments
                    + expiryNotice(approval)
                    + "\nApprove?";
        }
        return "Execution " + approval.request().execution() + " asks to call "
                + ControlCharacterEscaper.escape(approval.request().tool().toString())
                + "\nwith " + arguments
                + "\nA person is asked because "
                + ControlCharacterEscaper.escape(approval.request().terms().reason())
                + " (rule " + ControlCharacterEscaper.escape(approval.request().rule()) + ")."
                + expiryNotice(approval)
                + "\nApprove this call?";
    }

    private static String expiryNotice(Approval approval) {
        ApprovalTerms.ExpiryAction then = approval.request().terms().expiryAction();
        return "\nWithout a decision by " + approval.expiresAt()
                + switch (then.kind()) {
                    case DENY -> ", the call is denied.";
                    case APPROVE -> ", the call is approved.";
                    case VALUE ->
                        ", the call is not sent, and returns "
                                + ControlCharacterEscaper.escape(
                                        then.value().orElse(Json.NULL).text()) + ".";
                };
    }

    private void onResponse(ToolCallContext dialog, Approval approval, ElicitResult said) {
        toVote(dialog.caller(), said)
                .ifPresent(ballot -> retryingTask.runWithRetries(
                        "vote on approval " + approval.id(),
                        () -> vote(dialog, approval, ballot),
                        () -> notifyClient(
                                dialog, approval, ": the database does not answer; the vote does not count")));
    }

    private void vote(ToolCallContext dialog, Approval approval, ApprovalVote ballot) {
        try {
            notifyClient(
                    dialog,
                    approval,
                    voteResult(auditRecorder.auditMcpAction(
                            dialog.caller(),
                            dialog.address(),
                            ballot.approve() ? "approval.approve" : "approval.deny",
                            approval.id().toString(),
                            () -> facade.vote(dialog.caller(), approval.id(), ballot))));
        } catch (ProblemException e) {
            notifyClient(dialog, approval, ": " + e.problem().detail());
        }
    }

    /** Describes the result of a vote. */
    static String voteResult(JsonNode shown) {
        String state = shown.path("state").asText();
        int missing = shown.path("approvers").asInt() - shown.path("approvedBy").size();
        return state.equals(ApprovalState.PENDING.name())
                ? " counts this vote and waits for " + missing + " more"
                : " is " + state.toLowerCase(Locale.ROOT);
    }

    private static void notifyClient(ToolCallContext dialog, Approval approval, String what) {
        dialog.sendProgress(
                "approval " + approval.id() + what,
                Map.of(ProgressMeta.APPROVAL, approval.id().toString()));
    }

    /** The user's vote; empty if the response decides nothing. */
    static Optional<ApprovalVote> toVote(Caller caller, ElicitResult said) {
        @Nullable Map<String, Object> content = said.content();
        Object decision = content == null ? null : content.get(DECISION);
        Object note = content == null ? null : content.get(NOTE);
        String words = note instanceof String text ? text : "";
        if (words.length() > MAX_NOTE_LENGTH) {
            words = words.substring(0, MAX_NOTE_LENGTH);
        }
        return switch (said.action()) {
            case ACCEPT ->
                APPROVE.equals(decision) || "deny".equals(decision)
                        ? Optional.of(vote(caller, APPROVE.equals(decision), words))
                        : Optional.empty();
            case DECLINE -> Optional.of(vote(caller, false, words));
            case CANCEL -> Optional.empty();
        };
    }

    private static ApprovalVote vote(Caller caller, boolean yes, String note) {
        return new ApprovalVote(caller.id(), yes, false, Optional.empty(), Optional.empty(), note);
    }
}
