package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.OptionalLong;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.TestJson;

/**
 * The result of an attack as a caller saw it.
 *
 * @param outcome state and error code of an execution, such as {@code FAILED cpu-limit}; status and problem type of a
 *     refusal
 * @param execution the execution, or a missing node
 * @param visibleText all text that the caller received, without the caller's own script
 * @param stopMillis time from the deadline or the cancel to the end, by the server's timestamps
 */
record AttackResult(String outcome, JsonNode execution, String visibleText, OptionalLong stopMillis) {
    /** The result of an ended execution, with its trace as text. */
    static AttackResult of(JsonNode execution, String trace) {
        String state = execution.path("state").asText();
        String code = execution.path("error").path("code").asText();
        ObjectNode shown = execution.deepCopy();
        shown.remove("codePreview");
        OptionalLong stop = state.equals("TIMED_OUT")
                ? OptionalLong.of(execution.path("runMillis").asLong()
                        - execution.path("limits").path("wallMillis").asLong())
                : OptionalLong.empty();
        return new AttackResult((state + " " + code).strip(), execution, shown + "\n" + unescaped(shown) + trace, stop);
    }

    /** The result of a request that was refused before anything was stored. */
    static AttackResult of(RestResponse refused) {
        return new AttackResult(
                (refused.status() + " " + refused.problemType()).strip(),
                MissingNode.getInstance(),
                refused.text(),
                OptionalLong.empty());
    }

    /** The result of an attack without an execution: its outcome in one word, and all text that the caller saw. */
    static AttackResult of(String outcome, String seen) {
        return new AttackResult(outcome, MissingNode.getInstance(), seen, OptionalLong.empty());
    }

    /** A copy for an execution that was cancelled at that moment. */
    AttackResult cancelledAt(Instant moment) {
        Instant finished = Instant.parse(execution.path("finishedAt").asText());
        return new AttackResult(
                outcome,
                execution,
                visibleText,
                OptionalLong.of(Math.max(0, finished.toEpochMilli() - moment.toEpochMilli())));
    }

    /** The value that the script returned. */
    JsonNode result() {
        return execution.path("result");
    }

    /** Appends texts unescaped, because escapes could hide canaries in them. */
    private static String unescaped(JsonNode node) {
        StringBuilder text = new StringBuilder();
        for (String member : new String[] {"output", "errorOutput"}) {
            text.append(node.path(member).asText()).append('\n');
        }
        text.append(node.path("error").path("message").asText()).append('\n');
        text.append(node.path("error").path("stack").asText()).append('\n');
        text.append(
                node.path("result").isTextual() ? node.path("result").asText() : TestJson.write(node.path("result")));
        return text.append('\n').toString();
    }
}
