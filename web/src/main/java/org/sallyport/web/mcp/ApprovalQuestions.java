package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
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
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.ApprovalCalls;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.RoleFilter;

/** Asks the users of clients, where they may decide, what executions ask people. Thread-safe. */
@Dependent
@Allowed(Role.APPROVER)
public class ApprovalQuestions {
    private static final int PAGE = 100;
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
    private final Journal journal;
    private final ApprovalCalls calls;
    private final Waiting waiting;
    private final boolean ownAllowed;

    @Inject
    public ApprovalQuestions(
            ApprovalStore approvals,
            Journal journal,
            ApprovalCalls calls,
            Waiting waiting,
            Configuration configuration) {
        this.approvals = approvals;
        this.journal = journal;
        this.calls = calls;
        this.waiting = waiting;
        this.ownAllowed = configuration.get(Settings.APPROVE_OWN);
    }

    /** What people are asked by the caller's execution and have not decided, oldest first. */
    List<Approval> pending(Caller caller, ExecutionId execution) {
        List<Approval> pending = new ArrayList<>();
        long after = 0;
        List<TraceEvent> page;
        do {
            page = journal.trace(execution, after, PAGE);
            for (TraceEvent event : page) {
                after = event.seq();
                if (event instanceof TraceEvent.Asked asked) {
                    approvals
                            .find(caller.tenant(), asked.approval())
                            .filter(approval -> approval.state() == ApprovalState.PENDING)
                            .filter(approval -> pending.stream()
                                    .noneMatch(other -> other.id().equals(approval.id())))
                            .ifPresent(pending::add);
                }
            }
        } while (page.size() == PAGE);
        return pending;
    }

    /** Asks the client's user, if he can be asked and may decide; the answer counts as any other vote. */
    void ask(Dialog dialog, Approval approval) {
        String arguments = approval.question().arguments().text();
        if (dialog.canAsk()
                && mayDecide(dialog.caller(), approval)
                && approval.question().kind() != ApprovalKind.OUTCOME
                && arguments.length() <= SHOWN_CHARS) {
            dialog.ask(message(approval, arguments), FORM)
                    .thenAccept(said -> waiting.pause(0).thenRun(() -> vote(dialog, approval, said)))
                    .exceptionally(failure -> null);
        }
    }

    private boolean mayDecide(Caller caller, Approval approval) {
        return RoleFilter.has(caller, RoleFilter.allowed(ApprovalQuestions.class))
                && (ownAllowed || !approval.requester().equals(caller.keyId()));
    }

    private static String message(Approval approval, String arguments) {
        return "Execution " + approval.question().execution() + " asks to call "
                + approval.question().tool()
                + "\nwith " + arguments
                + "\nA person is asked because " + approval.question().terms().reason()
                + " (rule " + approval.question().rule() + "). Approve this call?";
    }

    private void vote(Dialog dialog, Approval approval, ElicitResult said) {
        Optional<Ballot> ballot = ballot(dialog.caller(), said);
        if (ballot.isEmpty()) {
            return;
        }
        try {
            calls.vote(dialog.caller(), approval.id(), ballot.get());
            dialog.tell(
                    "approval " + approval.id() + " is " + (ballot.get().yes() ? "approved" : "denied"),
                    Map.of(Told.APPROVAL, approval.id().toString()));
        } catch (ProblemException e) {
            dialog.tell(
                    "approval " + approval.id() + ": " + e.problem().detail(),
                    Map.of(Told.APPROVAL, approval.id().toString()));
        }
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
