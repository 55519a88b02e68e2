package org.sallyport.web.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Approvals that are not decided. */
final class ApprovalFixtures {
    private ApprovalFixtures() {}

    /** An approval of a call with arguments of this length. */
    static Approval pending(UUID id, int argumentChars) {
        ApprovalRequest question = new ApprovalRequest(
                new ExecutionId(new UUID(1, 2)),
                1,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                new Json("\"" + "x".repeat(argumentChars - 2) + "\""),
                "mail",
                new ApprovalTerms(1, Duration.ofDays(1), ApprovalTerms.ExpiryAction.DENY, ""));
        return new Approval(
                id,
                question,
                question.hash(),
                "requester",
                ApprovalState.PENDING,
                Instant.EPOCH,
                Instant.EPOCH.plus(Duration.ofDays(1)),
                List.of(),
                Optional.empty(),
                Approval.ReminderStatus.NONE);
    }
}
