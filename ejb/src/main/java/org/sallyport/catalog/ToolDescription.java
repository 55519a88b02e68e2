package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Describes a tool for scripts and agents. All of it comes from a backend and is data: no part of it is ever run. */
final class ToolDescription {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_COMMENT_LENGTH = 2_000;

    private ToolDescription() {}

    static Json of(ToolSpec spec) {
        ObjectNode json = JSON.createObjectNode();
        json.put("name", spec.name().toString());
        json.put("description", spec.description());
        json.putRawValue("inputSchema", new RawValue(spec.inputSchema().text()));
        spec.outputSchema().ifPresent(schema -> json.putRawValue("outputSchema", new RawValue(schema.text())));
        json.put("readOnly", spec.hints().readOnly());
        json.put("idempotent", spec.hints().idempotent());
        json.put("destructive", spec.hints().destructive());
        json.put("declaration", declaration(spec));
        return new Json(json.toString());
    }

    /** Returns a TypeScript interface with this tool as its only member. */
    static String declaration(ToolSpec spec) {
        ToolName name = spec.name();
        JsonNode input = read(spec.inputSchema());
        String arguments = TypeScriptTypes.render(input, "    ");
        boolean needed = !input.path("required").isEmpty();
        String result = spec.outputSchema()
                .map(schema -> TypeScriptTypes.render(read(schema), "    "))
                .orElse("unknown");
        return "interface tools {\n  " + TypeScriptTypes.memberName(name.backend()) + ": {\n"
                + comment(spec.description(), "    ")
                + "    " + TypeScriptTypes.memberName(name.tool()) + "(args" + (needed ? "" : "?") + ": " + arguments
                + "): Promise<" + result + ">;\n  };\n}\n";
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
