package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * A connector's reply to a tool call. Carries the correlation id of the request as a header.
 *
 * @param reply the reply
 */
public record ToolReplyMessage(ToolReply reply) {
    /** Body that a stopping node sends instead of a reply: the call has not started and must be sent again. */
    public static final String HANDED_BACK = "{\"v\":1,\"handedBack\":true}";
    /** Like {@link #HANDED_BACK}, for a call that may have happened and may be repeated. */
    public static final String HANDED_BACK_STARTED = "{\"v\":1,\"handedBack\":true,\"begun\":true}";

    /** Like {@link #HANDED_BACK}: the node has no memory for the call, which is sent again until its deadline. */
    public static final String HANDED_BACK_WITHOUT_MEMORY = "{\"v\":1,\"handedBack\":true,\"memory\":false}";

    /**
     * How long after the deadline of a call its caller still accepts the reply, if the call must not be repeated. The
     * connector knows whether it sent the call; its report at the deadline arrives within this time.
     */
    public static final Duration REPORT_GRACE = Duration.ofSeconds(3);

    private static final int MAX_ATTEMPTS = 1_000;
    /** Format of valid node names. */
    private static final Pattern NODE_NAME = Pattern.compile("[A-Za-z0-9-]{1,40}");

    /**
     * Encodes version 1: {@code {"v":1,"queueMillis","backendMillis","attempts","node"}} ({@code attempts} unless it is
     * 1, {@code node} if it is known) and either {@code "result"} (JSON text inside a string) or
     * {@code "error": {"code","message","details"}}.
     */
    public String encode() {
        ObjectNode json = MessageJson.newMessage();
        json.put("queueMillis", reply.queueMillis());
        json.put("backendMillis", reply.backendMillis());
        if (reply.attempts() != 1) {
            json.put("attempts", reply.attempts());
        }
        reply.node().ifPresent(node -> json.put("node", node));
        if (reply.result() instanceof ToolResult.ToolSuccess success) {
            json.put("result", success.value().text());
        } else if (reply.result() instanceof ToolResult.ToolFailure failure) {
            ObjectNode error = json.putObject("error");
            error.put("code", failure.error().code().code());
            error.put("message", failure.error().message());
            failure.error().details().ifPresent(details -> error.put("details", details.text()));
        }
        return json.toString();
    }

    /** Decodes the output of {@link #encode()}; throws {@link MalformedMessageException} for any other text. */
    public static ToolReplyMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        if (json.has("error") && json.has("result")) {
            throw new MalformedMessageException("it has both a result and an error");
        }
        ToolResult result = json.has("error")
                ? new ToolResult.ToolFailure(error(json.path("error")))
                : new ToolResult.ToolSuccess(new Json(MessageJson.text(json, "result")));
        ToolReply reply =
                new ToolReply(result, millis(json, "queueMillis"), millis(json, "backendMillis"), attempts(json));
        return new ToolReplyMessage(node(json).map(reply::withNode).orElse(reply));
    }

    /** Drops invalid node names, because the name is shown to people. */
    private static Optional<String> node(JsonNode json) {
        return Optional.ofNullable(json.path("node").textValue())
                .filter(name -> NODE_NAME.matcher(name).matches());
    }

    private static int attempts(JsonNode json) {
        return json.has("attempts")
                ? (int) Math.max(0, Math.min(MAX_ATTEMPTS, MessageJson.number(json, "attempts")))
                : 1;
    }

    private static long millis(JsonNode json, String member) {
        return json.has(member) ? MessageJson.number(json, member) : 0;
    }

    private static ToolError error(JsonNode json) {
        ToolErrorCode code = ToolErrorCode.of(MessageJson.text(json, "code")).orElse(ToolErrorCode.TOOL_FAILED);
        Optional<Json> details =
                json.has("details") ? Optional.of(new Json(MessageJson.text(json, "details"))) : Optional.empty();
        return new ToolError(code, MessageJson.text(json, "message"), details);
    }
}
