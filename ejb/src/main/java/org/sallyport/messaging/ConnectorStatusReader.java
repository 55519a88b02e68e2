package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.messaging.ConnectorStatusMessage.ConnectorGoodbye;
import org.sallyport.messaging.ConnectorStatusMessage.ConnectorHeartbeat;
import org.sallyport.messaging.ConnectorStatusMessage.ConnectorRegistration;
import org.sallyport.messaging.ConnectorStatusMessage.RegisteredTool;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/** Parses the status messages of connectors, and rejects everything that the contract does not allow. */
final class ConnectorStatusReader {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");
    private static final Pattern TOOL_NAME = Pattern.compile("[A-Za-z0-9_.-]{1,128}");
    private static final int MAX_DESCRIPTION_LENGTH = 65_536;
    private static final Json ANY_OBJECT_SCHEMA = new Json("{\"type\":\"object\"}");

    private ConnectorStatusReader() {}

    static ConnectorStatusMessage read(String text) {
        JsonNode json = MessageJson.parse(text);
        JsonNode alive = json.path("alive");
        if (alive.isObject()) {
            return new ConnectorHeartbeat(name(alive, "instance"), revision(alive));
        }
        JsonNode goodbye = json.path("leave");
        if (goodbye.isObject()) {
            return new ConnectorGoodbye(name(goodbye, "instance"));
        }
        JsonNode register = json.path("register");
        if (!register.isObject()) {
            throw new MalformedMessageException("it has none of the members register, alive and leave");
        }
        String instance = name(register, "instance");
        String revision = revision(register);
        try {
            return new ConnectorRegistration(instance, revision, tools(register.path("tools")));
        } catch (MalformedMessageException e) {
            throw new RegistrationRefusedException(instance, String.valueOf(e.getMessage()));
        }
    }

    private static String name(JsonNode json, String member) {
        String name = MessageJson.text(json, member);
        if (!NAME.matcher(name).matches()) {
            throw new MalformedMessageException(member + " must be 1 to 64 letters, digits, '_', '.', ':' or '-'");
        }
        return name;
    }

    private static String revision(JsonNode json) {
        return json.has("revision") ? name(json, "revision") : "";
    }

    private static List<RegisteredTool> tools(JsonNode json) {
        if (!json.isArray() || json.size() > ConnectorStatusMessage.MAX_TOOLS) {
            throw new MalformedMessageException("tools must be a list of at most " + ConnectorStatusMessage.MAX_TOOLS);
        }
        List<RegisteredTool> tools = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (JsonNode one : json) {
            RegisteredTool tool = tool("tools[" + tools.size() + "]", one);
            if (!names.add(tool.name())) {
                throw new MalformedMessageException("tools[" + tools.size() + "].name occurs twice: " + tool.name());
            }
            tools.add(tool);
        }
        return tools;
    }

    private static RegisteredTool tool(String where, JsonNode json) {
        String name = json.path("name").asText("");
        if (!json.path("name").isTextual() || !TOOL_NAME.matcher(name).matches()) {
            throw new MalformedMessageException(where + ".name must be 1 to 128 letters, digits, '_', '.' or '-'");
        }
        JsonNode description = json.path("description");
        if (!description.isMissingNode()
                && (!description.isTextual() || description.textValue().length() > MAX_DESCRIPTION_LENGTH)) {
            throw new MalformedMessageException(
                    where + ".description must be a text of at most " + MAX_DESCRIPTION_LENGTH + " characters");
        }
        boolean readOnly = flag(where, json, "readOnly");
        return new RegisteredTool(
                name,
                description.asText(""),
                schema(where, json, "inputSchema").orElse(ANY_OBJECT_SCHEMA),
                schema(where, json, "outputSchema"),
                new ToolHints(
                        readOnly,
                        readOnly | flag(where, json, "idempotent"),
                        flag(where, json, "destructive") & !readOnly));
    }

    private static Optional<Json> schema(String where, JsonNode json, String member) {
        JsonNode schema = json.path(member);
        if (schema.isMissingNode() || schema.isNull()) {
            return Optional.empty();
        }
        if (!schema.isObject()) {
            throw new MalformedMessageException(where + "." + member + " must be a JSON Schema, an object");
        }
        return Optional.of(new Json(schema.toString()));
    }

    private static boolean flag(String where, JsonNode json, String member) {
        JsonNode flag = json.path(member);
        if (!flag.isMissingNode() && !flag.isBoolean()) {
            throw new MalformedMessageException(where + "." + member + " must be true or false");
        }
        return flag.asBoolean(false);
    }
}
