package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.Background;
import org.sallyport.approval.Question;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Terms;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/**
 * What people see of calls and of what is asked about them: without the secrets of the tenant. What is stored stays whole, since
 * calls are sent, hashed and repeated as the script made them.
 *
 * @param redaction what the tenant must not see
 */
public record WithoutSecrets(Redaction redaction) {

    /** An event of a trace. */
    public TraceEvent of(TraceEvent event) {
        if (redaction.isEmpty()) {
            return event;
        } else if (event instanceof TraceEvent.ToolStarted it) {
            return new TraceEvent.ToolStarted(
                    it.seq(), it.at(), it.call(), it.tool(), of(it.arguments()), it.replayed());
        } else if (event instanceof TraceEvent.ToolEnded it) {
            return new TraceEvent.ToolEnded(
                    it.seq(),
                    it.at(),
                    it.call(),
                    it.tool(),
                    it.durationMillis(),
                    it.queueMillis(),
                    of(it.result()),
                    it.error().map(this::of),
                    it.replayed(),
                    it.attempts(),
                    it.served());
        } else if (event instanceof TraceEvent.Decided it) {
            return new TraceEvent.Decided(
                    it.seq(),
                    it.at(),
                    it.call(),
                    it.tool(),
                    it.approval(),
                    it.kind(),
                    it.state(),
                    it.by(),
                    redaction.of(it.note()),
                    of(it.edited()));
        }
        return event;
    }

    /** What people are asked and what they said; the hash is that of what is stored. */
    public Approval of(Approval approval) {
        if (redaction.isEmpty()) {
            return approval;
        }
        return new Approval(
                approval.id(),
                of(approval.question()),
                approval.hash(),
                approval.requester(),
                approval.state(),
                approval.createdAt(),
                approval.expiresAt(),
                approval.voters(),
                approval.decision()
                        .map(made -> new Approval.Made(
                                made.by(), made.at(), redaction.of(made.note()), of(made.edited()), of(made.result()))),
                approval.reminded());
    }

    /** What they are told beside it. */
    public Background of(Background background) {
        return new Background(
                background.intent().map(redaction::of),
                background.requesterName().map(redaction::of));
    }

    private Question of(Question question) {
        Terms terms = question.terms();
        return new Question(
                question.execution(),
                question.call(),
                question.kind(),
                question.round(),
                question.tool(),
                of(question.arguments()),
                question.rule(),
                new Terms(
                        terms.approvers(),
                        terms.patience(),
                        new Terms.AtExpiry(
                                terms.atExpiry().kind(), of(terms.atExpiry().value())),
                        redaction.of(terms.reason()),
                        terms.reminders()));
    }

    /** Arguments or a result. */
    public Json of(Json json) {
        return RedactedResult.of(json, redaction);
    }

    private Optional<Json> of(Optional<Json> json) {
        return json.map(this::of);
    }

    private ToolError of(ToolError error) {
        return new ToolError(
                error.code(), redaction.of(error.message()), error.details().map(this::of));
    }
}
