package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalContext;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/**
 * Removes the tenant's secrets from calls and approvals before users see them. The stored data stays complete, because
 * calls are sent, hashed and replayed as the script made them.
 *
 * @param redactor removes the values that the tenant's users must not see
 */
public record TraceRedactor(Redactor redactor) {

    /** Returns the event without secrets. */
    public TraceEvent redact(TraceEvent event) {
        if (redactor.isEmpty()) {
            return event;
        } else if (event instanceof TraceEvent.ToolStarted it) {
            return new TraceEvent.ToolStarted(
                    it.seq(), it.at(), it.call(), it.tool(), redact(it.arguments()), it.replayed());
        } else if (event instanceof TraceEvent.ToolEnded it) {
            return new TraceEvent.ToolEnded(
                    it.seq(),
                    it.at(),
                    it.call(),
                    it.tool(),
                    it.durationMillis(),
                    it.queueMillis(),
                    redact(it.result()),
                    it.error().map(this::redact),
                    it.replayed(),
                    it.attempts(),
                    it.connectorReport());
        } else if (event instanceof TraceEvent.ApprovalDecided it) {
            return new TraceEvent.ApprovalDecided(
                    it.seq(),
                    it.at(),
                    it.call(),
                    it.tool(),
                    it.approval(),
                    it.kind(),
                    it.state(),
                    it.decidedBy(),
                    redactor.redact(it.note()),
                    redact(it.editedArguments()));
        }
        return event;
    }

    /** Returns the approval without secrets. Its hash stays that of the stored approval. */
    public Approval redact(Approval approval) {
        if (redactor.isEmpty()) {
            return approval;
        }
        return new Approval(
                approval.id(),
                redact(approval.request()),
                approval.hash(),
                approval.requester(),
                approval.state(),
                approval.createdAt(),
                approval.expiresAt(),
                approval.voters(),
                approval.decision()
                        .map(decision -> new Approval.ApprovalDecision(
                                decision.decidedBy(),
                                decision.decidedAt(),
                                redactor.redact(decision.note()),
                                redact(decision.editedArguments()),
                                redact(decision.result()))),
                approval.reminderStatus());
    }

    /** Returns the context of an approval without secrets. */
    public ApprovalContext redact(ApprovalContext background) {
        return new ApprovalContext(
                background.intent().map(redactor::redact),
                background.requesterName().map(redactor::redact));
    }

    private ApprovalRequest redact(ApprovalRequest question) {
        ApprovalTerms terms = question.terms();
        return new ApprovalRequest(
                question.execution(),
                question.call(),
                question.kind(),
                question.round(),
                question.tool(),
                redact(question.arguments()),
                question.rule(),
                new ApprovalTerms(
                        terms.requiredApprovals(),
                        terms.timeout(),
                        new ApprovalTerms.ExpiryAction(
                                terms.expiryAction().kind(),
                                redact(terms.expiryAction().value())),
                        redactor.redact(terms.reason()),
                        terms.reminders()));
    }

    /** Returns arguments or a result without secrets. */
    public Json redact(Json json) {
        return ToolResultRedactor.redact(json, redactor);
    }

    private Optional<Json> redact(Optional<Json> json) {
        return json.map(this::redact);
    }

    private ToolError redact(ToolError error) {
        return new ToolError(
                error.code(), redactor.redact(error.message()), error.details().map(this::redact));
    }
}
