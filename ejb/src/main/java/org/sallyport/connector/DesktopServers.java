package org.sallyport.connector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.sallyport.tool.PlainText;

/**
 * Reads MCP servers as desktop clients and editors store them. Members that concern the user interface of such a client
 * are ignored, such as the list of tools that need no confirmation.
 */
final class DesktopServers {
    /** Members of a file that have servers by name. */
    static final List<String> ROOT_MEMBERS = List.of("mcpServers", "servers");

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> URL_NAMES = List.of("url", "serverUrl", "httpUrl");
    private static final String LIST_OF_ARGUMENTS = "args";
    private static final String FILE_OF_VARIABLES = "envFile";
    private static final List<String> MAPS_OF_TEXTS = List.of("env", "headers");

    /** An answer of the user, which the client inserts. */
    private static final String INPUT_VARIABLE = "${input:";

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{[^}]*}");
    /** Variables that the service replaces by itself. */
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(secret|env|file):[^}]*}");

    private static final int MAX_SHOWN_LENGTH = 100;

    private DesktopServers() {}

    /**
     * A server as a backend.
     *
     * @param kind the kind of the backend
     * @param settings the settings of that kind
     */
    record DesktopServer(String kind, ObjectNode settings, boolean enabled) {}

    /**
     * Reads one server.
     *
     * @param path the path of the server in its file, for errors
     */
    static DesktopServer read(String path, ObjectNode json) {
        Optional<String> url = URL_NAMES.stream().filter(json::hasNonNull).findFirst();
        boolean remote = url.isPresent() && !json.hasNonNull("command");
        if (!remote && !json.hasNonNull("command")) {
            throw new InvalidBackendException(path, "has neither 'command' nor 'url'");
        }
        if (!remote && json.hasNonNull(FILE_OF_VARIABLES)) {
            throw new InvalidBackendException(
                    path + "." + FILE_OF_VARIABLES, "is not read; write the variables of the file in 'env'");
        }
        ObjectNode settings = NODES.objectNode();
        if (remote) {
            settings.set("url", json.get(url.orElseThrow()));
        }
        for (String known : remote ? List.of("headers") : List.of("command", "args", "env", "cwd")) {
            if (json.hasNonNull(known)) {
                settings.set(known, json.get(known));
            }
        }
        for (String text : List.of("url", "command", "cwd")) {
            if (settings.has(text) && !settings.path(text).isTextual()) {
                throw new InvalidBackendException(path + "." + text, "must be a text");
            }
        }
        convertScalars(path, settings);
        settings.properties()
                .forEach(member -> refuseVariables(
                        path + "." + member.getKey(),
                        member.getValue(),
                        member.getKey().equals(LIST_OF_ARGUMENTS) || MAPS_OF_TEXTS.contains(member.getKey())));
        boolean enabled =
                !json.path("disabled").asBoolean(false) && json.path("enabled").asBoolean(true);
        return new DesktopServer(remote ? "mcp-http" : "mcp-stdio", settings, enabled);
    }

    /**
     * Replaces numbers, true and false by their texts where only texts are possible: in arguments, variables and
     * headers. A variable or header that is null is left out.
     */
    static void convertScalars(String path, ObjectNode settings) {
        JsonNode arguments = settings.path(LIST_OF_ARGUMENTS);
        if (settings.hasNonNull(LIST_OF_ARGUMENTS) && !arguments.isArray()) {
            throw new InvalidBackendException(path + "." + LIST_OF_ARGUMENTS, "must be a list of texts");
        }
        if (arguments instanceof ArrayNode items) {
            ArrayNode texts = NODES.arrayNode();
            for (JsonNode item : items) {
                texts.add(text(path + "." + LIST_OF_ARGUMENTS + "[" + texts.size() + "]", item));
            }
            settings.set(LIST_OF_ARGUMENTS, texts);
        }
        for (String name : MAPS_OF_TEXTS) {
            JsonNode values = settings.path(name);
            if (settings.hasNonNull(name) && !values.isObject()) {
                throw new InvalidBackendException(path + "." + name, "must be an object of texts");
            }
            if (values instanceof ObjectNode map) {
                ObjectNode texts = NODES.objectNode();
                for (Map.Entry<String, JsonNode> entry : map.properties()) {
                    if (!entry.getValue().isNull()) {
                        texts.put(entry.getKey(), text(path + "." + name + "." + entry.getKey(), entry.getValue()));
                    }
                }
                settings.set(name, texts);
            }
        }
    }

    private static String text(String path, JsonNode value) {
        if (value.isFloatingPointNumber()) {
            if (!Double.isFinite(value.doubleValue())) {
                throw new InvalidBackendException(path, "must be a finite number, or a text in quotes");
            }
            return new BigDecimal(value.asText()).stripTrailingZeros().toPlainString();
        }
        if (!value.isTextual() && !value.isNumber() && !value.isBoolean()) {
            throw new InvalidBackendException(path, "must be a text, a number, true or false");
        }
        return value.asText();
    }

    /** Refuses what only a desktop client can insert, such as the path of its workspace. */
    private static void refuseVariables(String path, JsonNode value, boolean resolved) {
        if (value.isTextual()) {
            VARIABLE.matcher(value.textValue())
                    .results()
                    .map(MatchResult::group)
                    .filter(variable ->
                            !resolved || !REFERENCE.matcher(variable).matches())
                    .findFirst()
                    .ifPresent(variable -> {
                        throw new InvalidBackendException(path, problem(variable));
                    });
        }
        if (value.isObject()) {
            value.properties()
                    .forEach(entry -> refuseVariables(path + "." + entry.getKey(), entry.getValue(), resolved));
        }
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            refuseVariables(path + "[" + i + "]", value.get(i), resolved);
        }
    }

    private static String problem(String variable) {
        String shown = "'" + PlainText.singleLine(variable, MAX_SHOWN_LENGTH) + "'";
        if (variable.startsWith(INPUT_VARIABLE)) {
            return "needs an answer of the user (" + shown + "); write the value, or 'secret:…'";
        }
        return REFERENCE.matcher(variable).matches()
                ? "has " + shown + ", which is replaced in 'args', 'env' and 'headers' only; write the value"
                : "has " + shown + ", which only a desktop client can replace; write the value";
    }
}
