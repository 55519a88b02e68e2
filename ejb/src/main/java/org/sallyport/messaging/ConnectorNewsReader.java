package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.messaging.ConnectorNews.Alive;
import org.sallyport.messaging.ConnectorNews.Left;
import org.sallyport.messaging.ConnectorNews.Registered;
import org.sallyport.messaging.ConnectorNews.Tool;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/** Reads what connectors say of themselves, and takes nothing that the contract does not allow. */
final class ConnectorNewsReader {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");
    private static final Pattern TOOL = Pattern.compile("[A-Za-z0-9_.-]{1,128}");
    private static final int LONGEST_DESCRIPTION = 65_536;
    private static final Json ANYTHING = new Json("{\"type\":\"object\"}");

    private ConnectorNewsReader() {}

    static ConnectorNews read(String text) {
        JsonNode json = MessageJson.parse(text);
        JsonNode alive = json.path("alive");
        if (alive.isObject()) {
            return new Alive(name(alive, "instance"), revision(alive));
        }
        JsonNode leave = json.path("leave");
        if (leave.isObject()) {
            return new Left(name(leave, "instance"));
        }
        JsonNode register = json.path("register");
        if (!register.isObject()) {
            throw new BadMessageException("neither register nor alive nor leave");
        }
        String instance = name(register, "instance");
        String revision = revision(register);
        try {
            return new Registered(instance, revision, tools(register.path("tools")));
        } catch (BadMessageException e) {
            throw new RegistrationRefusedException(instance, String.valueOf(e.getMessage()));
        }
    }

    private static String name(JsonNode json, String member) {
        String name = MessageJson.text(json, member);
        if (!NAME.matcher(name).matches()) {
            throw new BadMessageException(member + " must be 1 to 64 letters, digits, '_', '.', ':' or '-'");
        }
        return name;
    }

    private static String revision(JsonNode json) {
        return json.has("revision") ? name(json, "revision") : "";
    }

    private static List<Tool> tools(JsonNode json) {
        if (!json.isArray() || json.size() > ConnectorNews.MOST_TOOLS) {
            throw new BadMessageException("tools must be a list of at most " + ConnectorNews.MOST_TOOLS);
        }
        List<Tool> tools = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (JsonNode one : json) {
            Tool tool = tool("tools[" + tools.size() + "]", one);
            if (!names.add(tool.name())) {
                throw new BadMessageException("tools[" + tools.size() + "].name is there twice: " + tool.name());
            }
            tools.add(tool);
        }
        return tools;
    }

    private static Tool tool(String where, JsonNode json) {
        String name = json.path("name").asText("");
        if (!json.path("name").isTextual() || !TOOL.matcher(name).matches()) {
            throw new BadMessageException(where + ".name must be 1 to 128 letters, digits, '_', '.' or '-'");
        }
        JsonNode description = json.path("description");
        if (!description.isMissingNode()
                && (!description.isTextual() || description.textValue().length() > LONGEST_DESCRIPTION)) {
            throw new BadMessageException(
                    where + ".description must be a text of at most " + LONGEST_DESCRIPTION + " characters");
        }
        boolean readOnly = flag(where, json, "readOnly");
        return new Tool(
                name,
                description.asText(""),
                schema(where, json, "inputSchema").orElse(ANYTHING),
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
            throw new BadMessageException(where + "." + member + " must be a JSON Schema, an object");
        }
        return Optional.of(new Json(schema.toString()));
    }

    private static boolean flag(String where, JsonNode json, String member) {
        JsonNode flag = json.path(member);
        if (!flag.isMissingNode() && !flag.isBoolean()) {
            throw new BadMessageException(where + "." + member + " must be true or false");
        }
        return flag.asBoolean(false);
    }
}
