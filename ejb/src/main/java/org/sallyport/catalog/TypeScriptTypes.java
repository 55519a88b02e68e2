package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Renders a JSON Schema as a TypeScript type. Constraints that a type cannot express, and parts that are nested too
 * deeply or too large, become {@code unknown}; validation uses the schema itself.
 */
final class TypeScriptTypes {
    private static final int MAX_DEPTH = 8;
    private static final int MAX_MEMBERS = 200;

    private TypeScriptTypes() {}

    static String render(JsonNode schema, String indent) {
        return type(schema, indent, MAX_DEPTH);
    }

    /** Returns a member's name, quoted unless it is a plain identifier. */
    static String memberName(String name) {
        return isIdentifier(name) ? name : quote(name);
    }

    private static String type(JsonNode schema, String indent, int depth) {
        if (depth == 0 || !schema.isObject()) {
            return "unknown";
        }
        if (schema.has("const")) {
            return literal(schema.path("const"));
        }
        if (schema.path("enum").isArray()) {
            return union(elements(schema.path("enum")).stream()
                    .map(TypeScriptTypes::literal)
                    .toList());
        }
        for (String any : List.of("anyOf", "oneOf")) {
            if (schema.path(any).isArray()) {
                return union(elements(schema.path(any)).stream()
                        .map(each -> type(each, indent, depth - 1))
                        .toList());
            }
        }
        JsonNode type = schema.path("type");
        if (type.isArray()) {
            return union(elements(type).stream()
                    .map(each -> named(each.asText(), schema, indent, depth))
                    .toList());
        }
        return named(type.asText(schema.has("properties") ? "object" : ""), schema, indent, depth);
    }

    private static String named(String type, JsonNode schema, String indent, int depth) {
        return switch (type) {
            case "string", "boolean", "null" -> type;
            case "number", "integer" -> "number";
            case "array" -> list(type(schema.path("items"), indent, depth - 1));
            case "object" -> object(schema, indent, depth);
            default -> "unknown";
        };
    }

    private static String list(String item) {
        return (item.contains(" | ") ? "(" + item + ")" : item) + "[]";
    }

    private static String object(JsonNode schema, String indent, int depth) {
        JsonNode properties = schema.path("properties");
        if (!properties.isObject() || properties.isEmpty()) {
            JsonNode more = schema.path("additionalProperties");
            return "Record<string, " + (more.isObject() ? type(more, indent, depth - 1) : "unknown") + ">";
        }
        Set<String> required = new HashSet<>();
        schema.path("required").forEach(name -> required.add(name.asText()));
        String inner = indent + "  ";
        StringBuilder text = new StringBuilder("{\n");
        int count = 0;
        for (var member : properties.properties()) {
            if (++count > MAX_MEMBERS) {
                break;
            }
            text.append(ToolDescription.comment(
                            member.getValue().path("description").asText(""), inner))
                    .append(inner)
                    .append(memberName(member.getKey()))
                    .append(required.contains(member.getKey()) ? ": " : "?: ")
                    .append(type(member.getValue(), inner, depth - 1))
                    .append(";\n");
        }
        return text.append(indent).append('}').toString();
    }

    private static String union(List<String> types) {
        String text = types.stream().distinct().limit(MAX_MEMBERS).collect(Collectors.joining(" | "));
        return text.isEmpty() ? "unknown" : text;
    }

    private static String literal(JsonNode value) {
        if (value.isTextual()) {
            return quote(value.textValue());
        }
        return value.isValueNode() ? value.toString() : "unknown";
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    private static boolean isIdentifier(String name) {
        return !name.isEmpty()
                && !Character.isDigit(name.charAt(0))
                && name.chars()
                        .allMatch(c -> c == '_'
                                || c == '$'
                                || c >= 'a' && c <= 'z'
                                || c >= 'A' && c <= 'Z'
                                || c >= '0' && c <= '9');
    }

    private static List<JsonNode> elements(JsonNode array) {
        List<JsonNode> elements = new ArrayList<>();
        array.forEach(elements::add);
        return elements;
    }
}
