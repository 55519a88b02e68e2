package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sallyport.approval.Approval;
import org.sallyport.approval.Background;
import org.sallyport.approval.Question;

/** Approvals as JSON. */
final class ApprovalAnswers {
    private ApprovalAnswers() {}

    /** All that a person needs to decide, and what was decided; of what holds no secrets. */
    static ObjectNode approval(Approval approval, Background background) {
        Question question = approval.question();
        ObjectNode json = Representation.object();
        json.put("id", approval.id().toString());
        json.put("state", approval.state().name());
        json.put("kind", question.kind().name().toLowerCase(Locale.ROOT));
        json.put("execution", question.execution().toString());
        json.put("call", question.call());
        json.put("tool", question.tool().toString());
        json.set("arguments", Representation.raw(question.arguments()));
        json.put("hash", approval.hash());
        json.put("rule", question.rule());
        json.put("reason", question.terms().reason());
        json.put("requester", approval.requester());
        background.requesterName().ifPresent(name -> json.put("requesterName", name));
        background.intent().ifPresent(intent -> json.put("intent", intent));
        json.put("approvers", question.terms().approvers());
        PolicyAnswers.atExpiry(json, question.terms().atExpiry());
        json.put("createdAt", approval.createdAt().toString());
        json.put("expiresAt", approval.expiresAt().toString());
        approval.voters().forEach(json.withArray("approvedBy")::add);
        Approval.Reminded reminded = approval.reminded();
        if (!reminded.equals(Approval.Reminded.NEVER)) {
            ObjectNode reminders = json.putObject("reminders");
            reminders.put("times", reminded.times());
            reminded.last().ifPresent(last -> reminders.put("last", last.toString()));
            reminded.next().ifPresent(next -> reminders.put("next", next.toString()));
        }
        approval.decision().ifPresent(made -> {
            ObjectNode decision = json.putObject("decision");
            decision.put("granted", approval.granted());
            decision.put("by", made.by());
            decision.put("at", made.at().toString());
            decision.put("note", made.note());
            made.edited().ifPresent(edited -> decision.set("arguments", Representation.raw(edited)));
            made.result().or(approval::answer).ifPresent(result -> decision.set("result", Representation.raw(result)));
        });
        return json;
    }
}
