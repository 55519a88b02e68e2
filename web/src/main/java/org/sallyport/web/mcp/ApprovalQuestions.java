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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Ballot;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Waiting;
import org.sallyport.policy.Terms;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Vault;
import org.sallyport.tool.Json;
import org.sallyport.web.ProblemException;
import org.sallyport.web.VisibleText;
import org.sallyport.web.api.ApprovalCalls;
import org.sallyport.web.audit.Deeds;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.RoleFilter;

/** Asks the users of clients, where they may decide, what executions ask people. Thread-safe. */
@Dependent
@Allowed(Role.APPROVER)
public class ApprovalQuestions {
    private static final int MOST_PENDING = 100;
    /** Who is to decide must see all of it. */
    private static final int SHOWN_CHARS = 4_000;

    private static final int LONGEST_NOTE = 2_000;
    private static final String DECISION = "decision";
    private static final String NOTE = "note";
    private static final String APPROVE = "approve";
    private static final Map<String, Object> FORM = Map.of(
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
                                            "maxLength", LONGEST_NOTE)),
            "required", List.of(DECISION));

    private final ApprovalStore approvals;
    private final ApprovalCalls calls;
    private final Waiting waiting;
    private final Deeds deeds;
    private final Insistence insistence;
    private final Vault vault;
    private final boolean ownAllowed;

    @Inject
    public ApprovalQuestions(
            ApprovalStore approvals,
            ApprovalCalls calls,
            Waiting waiting,
            Deeds deeds,
            Insistence insistence,
            Vault vault,
            Configuration configuration) {
        this.approvals = approvals;
        this.calls = calls;
        this.waiting = waiting;
        this.deeds = deeds;
        this.insistence = insistence;
        this.vault = vault;
        this.ownAllowed = configuration.get(Settings.APPROVE_OWN);
    }

    /** What people are asked by the caller's execution and have not decided, oldest first; as people may see it. */
    List<Approval> pending(Caller caller, ExecutionId execution) {
        WithoutSecrets shown = new WithoutSecrets(vault.redaction(caller.tenant()));
        return approvals.pending(caller.tenant(), execution, MOST_PENDING).stream()
                .map(shown::of)
                .toList();
    }

    /** Asks the client's user, if he can be asked and may decide; the answer counts as any other vote. */
    void ask(Dialog dialog, Approval approval) {
        String arguments = VisibleText.line(approval.question().arguments().text());
        if (dialog.canAsk()
                && mayDecide(dialog.caller(), approval)
                && approval.question().kind() != ApprovalKind.OUTCOME
                && arguments.length() + silence(approval).length() <= SHOWN_CHARS) {
            dialog.ask(message(approval, arguments), FORM)
                    .thenAccept(said -> waiting.pause(0).thenRun(() -> heard(dialog, approval, said)))
                    .exceptionally(failure -> null);
        }
    }

    private boolean mayDecide(Caller caller, Approval approval) {
        return RoleFilter.has(caller, RoleFilter.allowed(ApprovalQuestions.class))
                && (ownAllowed || !approval.requester().equals(caller.keyId()));
    }

    /** What a person decides by: nothing but secrets is hidden, and nothing begins a line of its own that is not ours. */
    static String message(Approval approval, String arguments) {
        if (approval.question().kind() == ApprovalKind.QUESTION) {
            return "The script of execution " + approval.question().execution() + " asks: "
                    + VisibleText.line(approval.question().terms().reason())
                    + "\nwith " + arguments
                    + silence(approval)
                    + "\nApprove?";
        }
        return "Execution " + approval.question().execution() + " asks to call "
                + VisibleText.line(approval.question().tool().toString())
                + "\nwith " + arguments
                + "\nA person is asked because "
                + VisibleText.line(approval.question().terms().reason())
                + " (rule " + VisibleText.line(approval.question().rule()) + ")."
                + silence(approval)
                + "\nApprove this call?";
    }

    private static String silence(Approval approval) {
        Terms.AtExpiry then = approval.question().terms().atExpiry();
        return "\nIf nobody decides by " + approval.expiresAt()
                + switch (then.kind()) {
                    case DENY -> ", it is denied.";
                    case APPROVE -> ", it is approved.";
                    case VALUE ->
                        ", it is not made, and answered "
                                + VisibleText.line(
                                        then.value().orElse(Json.NULL).text()) + ".";
                };
    }

    private void heard(Dialog dialog, Approval approval, ElicitResult said) {
        ballot(dialog.caller(), said)
                .ifPresent(ballot -> insistence.insist(
                        () -> vote(dialog, approval, ballot),
                        () -> tell(dialog, approval, ": the database does not answer; the vote does not count")));
    }

    private void vote(Dialog dialog, Approval approval, Ballot ballot) {
        try {
            tell(
                    dialog,
                    approval,
                    told(deeds.byAgent(
                            dialog.caller(),
                            dialog.address(),
                            ballot.yes() ? "approval.approve" : "approval.deny",
                            approval.id().toString(),
                            () -> calls.vote(dialog.caller(), approval.id(), ballot))));
        } catch (ProblemException e) {
            tell(dialog, approval, ": " + e.problem().detail());
        }
    }

    /** What came of a vote. */
    static String told(JsonNode shown) {
        String state = shown.path("state").asText();
        int missing = shown.path("approvers").asInt() - shown.path("approvedBy").size();
        return state.equals(ApprovalState.PENDING.name())
                ? " counts this vote and waits for " + missing + " more"
                : " is " + state.toLowerCase(Locale.ROOT);
    }

    private static void tell(Dialog dialog, Approval approval, String what) {
        dialog.tell(
                "approval " + approval.id() + what,
                Map.of(Told.APPROVAL, approval.id().toString()));
    }

    /** What the user said; empty when he said nothing that decides. */
    static Optional<Ballot> ballot(Caller caller, ElicitResult said) {
        @Nullable Map<String, Object> content = said.content();
        Object decision = content == null ? null : content.get(DECISION);
        Object note = content == null ? null : content.get(NOTE);
        String words = note instanceof String text ? text : "";
        if (words.length() > LONGEST_NOTE) {
            words = words.substring(0, LONGEST_NOTE);
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

    private static Ballot vote(Caller caller, boolean yes, String note) {
        return new Ballot(caller.keyId(), yes, false, Optional.empty(), Optional.empty(), note);
    }
}
