package org.sallyport.it.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.OptionalLong;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Json;

/**
 * What a caller saw of an attack.
 *
 * @param outcome state and error code of an execution, such as {@code FAILED cpu-limit}; status and problem of a refusal
 * @param whole the execution, or a missing node
 * @param seen every text that came back but the caller's own script
 * @param stopMillis from the deadline or the cancel to the end, by the server's times
 */
record Sighting(String outcome, JsonNode whole, String seen, OptionalLong stopMillis) {
    /** An execution that has ended, with its trace as text. */
    static Sighting of(JsonNode execution, String trace) {
        String state = execution.path("state").asText();
        String code = execution.path("error").path("code").asText();
        ObjectNode shown = execution.deepCopy();
        shown.remove("codePreview");
        OptionalLong stop = state.equals("TIMED_OUT")
                ? OptionalLong.of(execution.path("runMillis").asLong()
                        - execution.path("limits").path("wallMillis").asLong())
                : OptionalLong.empty();
        return new Sighting((state + " " + code).strip(), execution, shown + "\n" + unescaped(shown) + trace, stop);
    }

    /** What was refused before anything was stored. */
    static Sighting of(Answer refused) {
        return new Sighting(
                (refused.status() + " " + refused.problem()).strip(),
                MissingNode.getInstance(),
                refused.text(),
                OptionalLong.empty());
    }

    /** Something that is not an execution: its outcome in a word, and all that was seen. */
    static Sighting of(String outcome, String seen) {
        return new Sighting(outcome, MissingNode.getInstance(), seen, OptionalLong.empty());
    }

    /** The same, of an execution that was cancelled then. */
    Sighting cancelledAt(Instant moment) {
        Instant finished = Instant.parse(whole.path("finishedAt").asText());
        return new Sighting(
                outcome, whole, seen, OptionalLong.of(Math.max(0, finished.toEpochMilli() - moment.toEpochMilli())));
    }

    /** What the script returned. */
    JsonNode result() {
        return whole.path("result");
    }

    /** Texts as they are, where quoting could hide what they hold. */
    private static String unescaped(JsonNode node) {
        StringBuilder text = new StringBuilder();
        for (String member : new String[] {"output", "errorOutput"}) {
            text.append(node.path(member).asText()).append('\n');
        }
        text.append(node.path("error").path("message").asText()).append('\n');
        text.append(node.path("error").path("stack").asText()).append('\n');
        text.append(node.path("result").isTextual() ? node.path("result").asText() : Json.write(node.path("result")));
        return text.append('\n').toString();
    }
}
