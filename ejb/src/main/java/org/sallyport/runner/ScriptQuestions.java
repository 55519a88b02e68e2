package org.sallyport.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.Question;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** What scripts themselves ask of people, and how they hear the answer. */
final class ScriptQuestions {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TITLE_CHARS = 200;
    private static final long LEAST_MILLIS = 60_000;
    private static final long MOST_MILLIS = Duration.ofDays(30).toMillis();
    private static final int MOST_APPROVERS = 10;

    private ScriptQuestions() {}

    /**
     * What people are to be asked; {@link IllegalArgumentException} when the request is none.
     *
     * @param arguments as {@link org.sallyport.sandbox.HostServices#APPROVAL_REQUEST} says
     */
    static Question question(ExecutionId execution, long call, ToolName tool, Json arguments) {
        JsonNode json;
        try {
            json = JSON.readTree(arguments.text());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the arguments are not JSON", e);
        }
        String title = json.path("title").textValue();
        if (title == null || title.isBlank() || title.length() > TITLE_CHARS) {
            throw new IllegalArgumentException("title must be a text of 1 to " + TITLE_CHARS + " characters");
        }
        long millis = whole(json, "timeout", LEAST_MILLIS, MOST_MILLIS, Terms.PATIENCE.toMillis());
        int approvers = (int) whole(json, "approvers", 1, MOST_APPROVERS, 1);
        Terms terms = new Terms(approvers, Duration.ofMillis(millis), Terms.AtExpiry.DENY, title);
        return new Question(execution, call, ApprovalKind.QUESTION, 0, tool, arguments, tool.tool(), terms);
    }

    private static long whole(JsonNode json, String member, long least, long most, long otherwise) {
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
    static ToolResult answer(Approval approval) {
        ObjectNode decision = JSON.createObjectNode();
        decision.put("approved", approval.granted());
        decision.put("state", approval.state().name());
        Optional<Approval.Made> made = approval.decision();
        decision.put(
                "by", made.map(Approval.Made::by).filter(by -> !by.isEmpty()).orElse(null));
        decision.put("at", made.map(each -> each.at().toString()).orElse(null));
        decision.put("note", made.map(Approval.Made::note).orElse(""));
        String told = decision.toString();
        // As text: through a tree its numbers could change.
        return ToolResult.success(new Json(made.flatMap(Approval.Made::result)
                .map(answer -> told.substring(0, told.length() - 1) + ",\"answer\":" + answer.text() + "}")
                .orElse(told)));
    }

    /** What a script hears where nobody is asked, since nothing is to happen. */
    static Json madeUp() {
        return new Json("{\"approved\":true,\"state\":\"APPROVED\",\"by\":null,\"at\":null,\"note\":\"\"}");
    }
}
