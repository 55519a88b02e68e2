package org.sallyport.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Converts approval requests of scripts to {@code ApprovalRequest}, and decisions to replies. */
final class ScriptApprovalRequests {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_TITLE_LENGTH = 200;
    private static final long MIN_TIMEOUT_MILLIS = 60_000;
    private static final long MAX_TIMEOUT_MILLIS = Duration.ofDays(30).toMillis();
    private static final int MAX_APPROVERS = 10;

    private ScriptApprovalRequests() {}

    /**
     * Returns the approval request that the arguments describe.
     *
     * @param arguments as {@link org.sallyport.sandbox.HostServices#APPROVAL_REQUEST} defines them
     * @throws IllegalArgumentException if the arguments are invalid
     */
    static ApprovalRequest toApprovalRequest(ExecutionId execution, long call, ToolName tool, Json arguments) {
        JsonNode json;
        try {
            json = JSON.readTree(arguments.text());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the arguments are not JSON", e);
        }
        String title = json.path("title").textValue();
        if (title == null || title.isBlank() || title.length() > MAX_TITLE_LENGTH) {
            throw new IllegalArgumentException("title must be a text of 1 to " + MAX_TITLE_LENGTH + " characters");
        }
        long millis = wholeNumber(
                json, "timeout", MIN_TIMEOUT_MILLIS, MAX_TIMEOUT_MILLIS, ApprovalTerms.DEFAULT_TIMEOUT.toMillis());
        int approvers = (int) wholeNumber(json, "approvers", 1, MAX_APPROVERS, 1);
        ApprovalTerms terms =
                new ApprovalTerms(approvers, Duration.ofMillis(millis), ApprovalTerms.ExpiryAction.DENY, title);
        return new ApprovalRequest(execution, call, ApprovalKind.QUESTION, 0, tool, arguments, tool.tool(), terms);
    }

    private static long wholeNumber(JsonNode json, String member, long least, long max, long otherwise) {
        JsonNode given = json.path(member);
        if (given.isMissingNode() || given.isNull()) {
            return otherwise;
        } else if (!given.canConvertToExactIntegral() || given.asLong() < least || given.asLong() > max) {
            throw new IllegalArgumentException(
                    member + " must be a whole number from " + least + " to " + max + ", not " + given);
        }
        return given.asLong();
    }

    /** Returns the reply to the script. A denial and an expiry are successful replies, like an approval. */
    static ToolResult toToolResult(Approval approval) {
        ObjectNode decision = JSON.createObjectNode();
        decision.put("approved", approval.isGranted());
        decision.put("state", approval.state().name());
        Optional<Approval.ApprovalDecision> approvalDecision = approval.decision();
        decision.put(
                "by",
                approvalDecision
                        .map(Approval.ApprovalDecision::decidedBy)
                        .filter(by -> !by.isEmpty())
                        .orElse(null));
        decision.put(
                "at", approvalDecision.map(each -> each.decidedAt().toString()).orElse(null));
        decision.put(
                "note", approvalDecision.map(Approval.ApprovalDecision::note).orElse(""));
        String decisionText = decision.toString();
        // Append the answer as text: a JSON tree could change its numbers.
        return ToolResult.success(new Json(approvalDecision
                .flatMap(Approval.ApprovalDecision::result)
                .map(answer ->
                        decisionText.substring(0, decisionText.length() - 1) + ",\"answer\":" + answer.text() + "}")
                .orElse(decisionText)));
    }

    /** Returns the reply in a dry run, which asks no approver because no call is made. */
    static Json dryRunReply() {
        return new Json("{\"approved\":true,\"state\":\"APPROVED\",\"by\":null,\"at\":null,\"note\":\"\"}");
    }
}
