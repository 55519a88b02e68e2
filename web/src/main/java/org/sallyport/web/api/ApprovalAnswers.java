package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sallyport.approval.Approval;
import org.sallyport.approval.Question;

/** Approvals as JSON. */
final class ApprovalAnswers {
    private ApprovalAnswers() {}

    /** All that a person needs to decide, and what was decided; of an approval that holds no secrets. */
    static ObjectNode approval(Approval approval) {
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
        json.put("approvers", question.terms().approvers());
        json.put("atExpiry", question.terms().atExpiry().name().toLowerCase(Locale.ROOT));
        json.put("createdAt", approval.createdAt().toString());
        json.put("expiresAt", approval.expiresAt().toString());
        approval.voters().forEach(json.withArray("approvedBy")::add);
        approval.decision().ifPresent(made -> {
            ObjectNode decision = json.putObject("decision");
            decision.put("granted", approval.granted());
            decision.put("by", made.by());
            decision.put("at", made.at().toString());
            decision.put("note", made.note());
            made.edited().ifPresent(edited -> decision.set("arguments", Representation.raw(edited)));
            made.result().ifPresent(result -> decision.set("result", Representation.raw(result)));
        });
        return json;
    }
}
