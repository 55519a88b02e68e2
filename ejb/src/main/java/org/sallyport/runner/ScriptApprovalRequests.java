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

/** What scripts themselves ask of people, and how they hear the answer. */
final class ScriptApprovalRequests {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_TITLE_LENGTH = 200;
    private static final long MIN_TIMEOUT_MILLIS = 60_000;
    private static final long MAX_TIMEOUT_MILLIS = Duration.ofDays(30).toMillis();
    private static final int MAX_APPROVERS = 10;

    private ScriptApprovalRequests() {}

    /**
     * What people are to be asked; {@link IllegalArgumentException} when the request is none.
     *
     * @param arguments as {@link org.sallyport.sandbox.HostServices#APPROVAL_REQUEST} says
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

    private static long wholeNumber(JsonNode json, String member, long least, long most, long otherwise) {
        JsonNode given = json.path(member);
        if (given.isMissingNode() || given.isNull()) {
            return otherwise;
        } else if (!given.canConvertToExactIntegral() || given.asLong() < least || given.asLong() > most) {
            throw new IllegalArgumentException(
                    member + " must be a whole number from " + least + " to " + most + ", and is " + given);
        }
        return given.asLong();
    }

    /** What the script hears: a no is an answer like any other, and so is silence. */
    static ToolResult toToolResult(Approval approval) {
        ObjectNode decision = JSON.createObjectNode();
        decision.put("approved", approval.isGranted());
        decision.put("state", approval.state().name());
        Optional<Approval.ApprovalDecision> made = approval.decision();
        decision.put(
                "by",
                made.map(Approval.ApprovalDecision::decidedBy)
                        .filter(by -> !by.isEmpty())
                        .orElse(null));
        decision.put("at", made.map(each -> each.decidedAt().toString()).orElse(null));
        decision.put("note", made.map(Approval.ApprovalDecision::note).orElse(""));
        String told = decision.toString();
        // As text: through a tree its numbers could change.
        return ToolResult.success(new Json(made.flatMap(Approval.ApprovalDecision::result)
                .map(answer -> told.substring(0, told.length() - 1) + ",\"answer\":" + answer.text() + "}")
                .orElse(told)));
    }

    /** What a script hears where nobody is asked, since nothing is to happen. */
    static Json dryRunReply() {
        return new Json("{\"approved\":true,\"state\":\"APPROVED\",\"by\":null,\"at\":null,\"note\":\"\"}");
    }
}
