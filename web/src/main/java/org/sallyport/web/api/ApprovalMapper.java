package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalContext;
import org.sallyport.approval.ApprovalRequest;

/** Maps approvals to JSON. */
final class ApprovalMapper {
    private ApprovalMapper() {}

    /**
     * Maps an approval with all that a person needs to decide it, and its votes. The arguments must already be
     * redacted.
     */
    static ObjectNode approval(Approval approval, ApprovalContext background) {
        ApprovalRequest question = approval.request();
        ObjectNode json = ExecutionMapper.object();
        json.put("id", approval.id().toString());
        json.put("state", approval.state().name());
        json.put("kind", question.kind().name().toLowerCase(Locale.ROOT));
        json.put("execution", question.execution().toString());
        json.put("call", question.call());
        json.put("tool", question.tool().toString());
        json.set("arguments", ExecutionMapper.raw(question.arguments()));
        json.put("hash", approval.hash());
        json.put("rule", question.rule());
        json.put("reason", question.terms().reason());
        json.put("requester", approval.requester());
        background.requesterName().ifPresent(name -> json.put("requesterName", name));
        background.intent().ifPresent(intent -> json.put("intent", intent));
        json.put("approvers", question.terms().requiredApprovals());
        PolicyMapper.addAtExpiry(json, question.terms().expiryAction());
        json.put("createdAt", approval.createdAt().toString());
        json.put("expiresAt", approval.expiresAt().toString());
        approval.voters().forEach(json.withArray("approvedBy")::add);
        Approval.ReminderStatus reminded = approval.reminderStatus();
        if (!reminded.equals(Approval.ReminderStatus.NONE)) {
            ObjectNode reminders = json.putObject("reminders");
            reminders.put("times", reminded.count());
            reminded.lastAt().ifPresent(last -> reminders.put("last", last.toString()));
            reminded.nextAt().ifPresent(next -> reminders.put("next", next.toString()));
        }
        approval.decision().ifPresent(decided -> {
            ObjectNode decision = json.putObject("decision");
            decision.put("granted", approval.isGranted());
            decision.put("by", decided.decidedBy());
            decision.put("at", decided.decidedAt().toString());
            decision.put("note", decided.note());
            decided.editedArguments().ifPresent(edited -> decision.set("arguments", ExecutionMapper.raw(edited)));
            decided.result()
                    .or(approval::resultAtExpiry)
                    .ifPresent(result -> decision.set("result", ExecutionMapper.raw(result)));
        });
        return json;
    }
}
