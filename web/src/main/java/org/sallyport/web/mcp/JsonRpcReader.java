package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.BoundedJson;
import org.sallyport.web.api.RequestContexts;

/**
 * Reads the JSON-RPC messages of clients. Throws a {@link JsonRpcException} that names the part that is malformed. The
 * SDK receives only what has passed this reader, so that it neither fails on a message nor writes a client's text to
 * the log.
 *
 * <p>A member that is {@code null} counts as absent, because many clients write optional members that they do not set
 * as {@code null}. Only the arguments of a tool and results keep their {@code null} members.
 */
final class JsonRpcReader {
    private static final String VERSION = "2.0";
    private static final String ARGUMENTS = "arguments";
    private static final String PROGRESS_TOKEN = "progressToken";
    private static final String NOTIFICATION_PREFIX = "notifications/";
    private static final int MAX_NAME_LENGTH = 200;
    private static final List<String> LOG_LEVELS =
            List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonRpcReader() {}

    /** A message that a client can send. */
    sealed interface JsonRpcMessage {}

    /**
     * A request that expects a response.
     *
     * @param id a string or a whole number
     * @param params empty if the request has none
     */
    record JsonRpcRequest(Object id, String method, ObjectNode params) implements JsonRpcMessage {
        /**
         * The request for the SDK, which copies the parameters and keeps them until the answer. Of a call, it needs the
         * name of the tool and the progress token; tools read their arguments from {@link PendingRequest}.
         */
        McpSchema.JSONRPCRequest toSdkRequest() {
            return new McpSchema.JSONRPCRequest(
                    VERSION, method, id, method.equals(McpSchema.METHOD_TOOLS_CALL) ? withoutArguments() : params);
        }

        private ObjectNode withoutArguments() {
            ObjectNode call = NODES.objectNode();
            call.set("name", params.path("name"));
            JsonNode token = params.path("_meta").path(PROGRESS_TOKEN);
            if (!token.isMissingNode()) {
                call.putObject("_meta").set(PROGRESS_TOKEN, token);
            }
            return call;
        }
    }

    /** A notification, which expects no response. */
    record JsonRpcNotification(String method, ObjectNode params) implements JsonRpcMessage {}

    /** A client's reply to a request of this service. */
    record JsonRpcReply(McpSchema.JSONRPCResponse sdkResponse) implements JsonRpcMessage {}

    static JsonRpcMessage read(byte[] body) {
        JsonNode json;
        try {
            json = BoundedJson.parseTree(body);
        } catch (ProblemException e) {
            throw new JsonRpcException(ErrorCodes.PARSE_ERROR, null, e.problem().detail());
        }
        if (!(json instanceof ObjectNode message)) {
            throw JsonRpcException.invalidRequest(null, "the body must be one JSON-RPC message; batches are not taken");
        }
        @Nullable Object id = id(message);
        if (!message.path("jsonrpc").asText().equals(VERSION)) {
            throw JsonRpcException.invalidRequest(id, "'jsonrpc' must be \"2.0\"");
        }
        return message.hasNonNull("method") ? requestOrNotification(message, id) : reply(message, id);
    }

    /** The id of a message; null if it has none. Only a notification may have the id {@code null}. */
    private static @Nullable Object id(ObjectNode message) {
        JsonNode given = message.path("id");
        boolean absent = given.isMissingNode()
                || given.isNull() && message.path("method").asText().startsWith(NOTIFICATION_PREFIX);
        Object id = absent ? null : textOrNumber(given);
        if (!absent && id == null) {
            throw JsonRpcException.invalidRequest(
                    null, "'id' must be text of at most " + MAX_NAME_LENGTH + " characters or a whole number");
        }
        return id;
    }

    private static @Nullable Object textOrNumber(JsonNode id) {
        if (id.isTextual() && id.textValue().length() <= MAX_NAME_LENGTH) {
            return id.textValue();
        } else if (id.isIntegralNumber() && id.canConvertToLong()) {
            return id.canConvertToInt() ? (Object) id.intValue() : (Object) id.longValue();
        }
        return null;
    }

    /** The id of the request that a client cancels; null if the notification names none. */
    static @Nullable Object cancelledRequestId(JsonRpcNotification notification) {
        return textOrNumber(notification.params().path("requestId"));
    }

    private static JsonRpcMessage requestOrNotification(ObjectNode message, @Nullable Object id) {
        String method = message.path("method").asText();
        if (!message.path("method").isTextual() || method.isEmpty() || !isName(method)) {
            throw JsonRpcException.invalidRequest(id, "'method' must be the name of a method");
        }
        JsonNode params = message.path("params");
        if (message.hasNonNull("params") && !params.isObject()) {
            throw JsonRpcException.invalidRequest(id, "'params' must be an object");
        }
        ObjectNode object = params instanceof ObjectNode given ? given : NODES.objectNode();
        removeNullMembers(object);
        return id == null ? new JsonRpcNotification(method, object) : new JsonRpcRequest(id, method, object);
    }

    /**
     * Removes the members that are {@code null}, also those of inner objects. The arguments of a tool stay as they are,
     * except that arguments of {@code null} are none.
     */
    private static void removeNullMembers(ObjectNode object) {
        List.copyOf(object.properties()).forEach(member -> {
            if (member.getValue().isNull()) {
                object.remove(member.getKey());
            } else if (member.getValue() instanceof ObjectNode inner
                    && !member.getKey().equals(ARGUMENTS)) {
                removeNullMembers(inner);
            }
        });
    }

    private static JsonRpcMessage reply(ObjectNode message, @Nullable Object id) {
        boolean failed = message.hasNonNull("error");
        boolean succeeded = failed ? message.hasNonNull("result") : message.has("result");
        if (id == null || failed == succeeded) {
            throw JsonRpcException.invalidRequest(
                    id, "a message has a method, or an id and either a result or an error");
        }
        if (succeeded) {
            return new JsonRpcReply(McpSchema.JSONRPCResponse.result(id, message.get("result")));
        }
        JsonNode error = message.path("error");
        if (!error.path("code").canConvertToInt() || !error.path("message").isTextual()) {
            throw JsonRpcException.invalidRequest(id, "'error' must have a code and a message");
        }
        return new JsonRpcReply(McpSchema.JSONRPCResponse.error(
                id,
                new McpSchema.JSONRPCResponse.JSONRPCError(
                        error.path("code").intValue(),
                        RequestContexts.abbreviate(error.path("message").textValue()))));
    }

    /**
     * Reads the parts of {@code initialize} that this service uses: whether the client supports elicitation, and the
     * client's name.
     */
    static McpSchema.InitializeRequest toInitializeRequest(JsonRpcRequest request) {
        ObjectNode params = request.params();
        JsonNode capabilities = params.path("capabilities");
        JsonNode info = params.path("clientInfo");
        if (!capabilities.isObject() || !info.isObject()) {
            throw JsonRpcException.invalidParams(
                    request.id(), "'params.capabilities' and 'params.clientInfo' must be objects");
        }
        McpSchema.ClientCapabilities.Elicitation elicitation =
                capabilities.path("elicitation") instanceof ObjectNode can
                                && (can.isEmpty() || can.path("form").isObject())
                        ? new McpSchema.ClientCapabilities.Elicitation(
                                new McpSchema.ClientCapabilities.Elicitation.Form(), null)
                        : null;
        return McpSchema.InitializeRequest.builder(
                        requiredName(request, params, "protocolVersion"),
                        new McpSchema.ClientCapabilities(null, null, null, elicitation),
                        McpSchema.Implementation.builder(
                                        requiredName(request, info, "name"), requiredName(request, info, "version"))
                                .build())
                .build();
    }

    private static String requiredName(JsonRpcRequest request, JsonNode object, String member) {
        JsonNode value = object.path(member);
        if (!value.isTextual() || value.textValue().isEmpty() || !isName(value.textValue())) {
            throw JsonRpcException.invalidParams(
                    request.id(),
                    "'" + member + "' must be text of 1 to " + MAX_NAME_LENGTH
                            + " characters without control characters");
        }
        return value.textValue();
    }

    /** Checks the parameters of a {@code tools/call}; returns the name of the tool. */
    static String toolName(JsonRpcRequest request) {
        ObjectNode params = request.params();
        if (!params.path("name").isTextual()) {
            throw JsonRpcException.invalidParams(request.id(), "'params.name' must be the name of a tool");
        }
        for (String member : new String[] {ARGUMENTS, "_meta"}) {
            if (params.has(member) && !params.path(member).isObject()) {
                throw JsonRpcException.invalidParams(request.id(), "'params." + member + "' must be an object");
            }
        }
        JsonNode token = params.path("_meta").path(PROGRESS_TOKEN);
        if (!token.isMissingNode() && textOrNumber(token) == null) {
            throw JsonRpcException.invalidParams(
                    request.id(), "'params._meta.progressToken' must be text or a whole number");
        }
        return params.path("name").textValue();
    }

    /** Checks the parameters of {@code logging/setLevel}, which the SDK offers in every server. */
    static void checkLogLevel(JsonRpcRequest request) {
        if (!LOG_LEVELS.contains(request.params().path("level").asText())) {
            throw JsonRpcException.invalidParams(
                    request.id(), "'params.level' must be one of " + String.join(", ", LOG_LEVELS));
        }
    }

    static JsonRpcException toolNotFound(JsonRpcRequest request, String name) {
        return JsonRpcException.invalidParams(
                request.id(),
                "there is no tool '" + RequestContexts.abbreviate(name) + "' for this key; tools/list names the tools");
    }

    private static boolean isName(String text) {
        return text.length() <= MAX_NAME_LENGTH && text.chars().noneMatch(Character::isISOControl);
    }
}
