package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.Optional;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** Describes a tool for scripts and agents. All of it comes from a backend and is data: no part of it is ever run. */
final class ToolDescription {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_COMMENT_LENGTH = 2_000;

    private ToolDescription() {}

    /**
     * Describes a tool.
     *
     * @param backendId identifier of its backend in scripts
     * @param toolId its identifier in scripts
     * @param outputSchemaProblem why its output schema is not read
     */
    static Json of(ToolSpec spec, String backendId, String toolId, Optional<String> outputSchemaProblem) {
        ObjectNode json = head(spec);
        json.putRawValue("inputSchema", new RawValue(spec.inputSchema().text()));
        spec.outputSchema().ifPresent(schema -> json.putRawValue("outputSchema", new RawValue(schema.text())));
        outputSchemaProblem.ifPresent(reason -> json.put("outputSchemaProblem", reason));
        putHints(spec, json);
        ToolSpec read = outputSchemaProblem.isEmpty()
                ? spec
                : new ToolSpec(spec.name(), spec.description(), spec.inputSchema(), spec.hints());
        json.put("declaration", declaration(read, backendId, toolId));
        return new Json(json.toString());
    }

    /** Describes a tool that cannot be called for {@code reason}. */
    static Json ofUnusable(ToolSpec spec, String backendId, String toolId, String reason) {
        ObjectNode json = head(spec);
        json.put("unusable", reason);
        putHints(spec, json);
        json.put(
                "declaration",
                declaration(
                        new ToolSpec(
                                spec.name(),
                                "Cannot be called: " + reason + "\n" + spec.description(),
                                new Json("{}"),
                                spec.hints()),
                        backendId,
                        toolId));
        return new Json(json.toString());
    }

    private static ObjectNode head(ToolSpec spec) {
        ObjectNode json = JSON.createObjectNode();
        json.put("name", spec.name().toString());
        json.put("description", spec.description());
        return json;
    }

    private static void putHints(ToolSpec spec, ObjectNode json) {
        json.put("readOnly", spec.hints().readOnly());
        json.put("idempotent", spec.hints().idempotent());
        json.put("destructive", spec.hints().destructive());
    }

    /** Returns a TypeScript interface with this tool as its only member, under the identifiers that scripts use. */
    static String declaration(ToolSpec spec, String backendId, String toolId) {
        JsonNode input = read(spec.inputSchema());
        String arguments = TypeScriptTypes.render(input, "    ");
        boolean needed = TypeScriptTypes.requiresMembers(input);
        String result = spec.outputSchema()
                .map(schema -> TypeScriptTypes.render(read(schema), "    "))
                .orElse("unknown");
        return "interface tools {\n  " + memberName(backendId) + ": {\n"
                + comment(spec.description(), "    ")
                + "    " + memberName(toolId) + "(args" + (needed ? "" : "?") + ": " + arguments
                + "): Promise<" + result + ">;\n  };\n}\n";
    }

    private static String memberName(String identifier) {
        return ToolIdentifiers.isIdentifier(identifier) ? identifier : TypeScriptTypes.memberName(identifier);
    }

    /** Returns a documentation comment; {@code text} is escaped so that it cannot end the comment. */
    static String comment(String text, String indent) {
        if (text.isBlank()) {
            return "";
        }
        StringBuilder comment = new StringBuilder(indent).append("/**\n");
        String shown = text.length() > MAX_COMMENT_LENGTH ? text.substring(0, MAX_COMMENT_LENGTH) + "…" : text;
        shown.replace("*/", "*\\/")
                .lines()
                .map(line -> line.codePoints()
                        .filter(point -> point == '\t' || !Character.isISOControl(point))
                        .filter(point -> point != 0x2028 && point != 0x2029)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append))
                .forEach(line -> comment.append(indent)
                        .append(" * ")
                        .append(line.toString().replace("*/", "*\\/").strip())
                        .append('\n'));
        return comment.append(indent).append(" */\n").toString();
    }

    private static JsonNode read(Json schema) {
        try {
            return JSON.readTree(schema.text());
        } catch (JsonProcessingException unreadable) {
            return JSON.getNodeFactory().missingNode();
        }
    }
}
