package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.catalog.SchemaParts.SchemaPartList;

/**
 * Renders a JSON Schema as a TypeScript type. References within the schema are resolved, and recursive ones end after
 * two levels. Constraints that a type cannot express, and parts that are nested too deeply or too large, become
 * {@code unknown}; validation uses the schema itself. An instance renders one schema.
 */
final class TypeScriptTypes {
    private static final String UNKNOWN = "unknown";
    private static final String ANY_OBJECT = "Record<string, unknown>";
    private static final int MAX_DEPTH = 8;
    private static final int MAX_MEMBERS = 200;
    private static final int MAX_TYPES = 4_000;
    private static final int MAX_LENGTH = 100_000;

    /** Schemas with more entries count as several types, because all entries are read. */
    private static final int ENTRIES_OF_A_TYPE = 50;

    private static final List<String> UNIONS = List.of("anyOf", "oneOf");

    private final SchemaParts schemaParts;
    private int types;
    private int length;

    private TypeScriptTypes(JsonNode root) {
        this.schemaParts = new SchemaParts(root);
    }

    static String render(JsonNode schema, String indent) {
        return new TypeScriptTypes(schema).type(schema, indent, MAX_DEPTH);
    }

    /** Returns whether an object must have members to match a schema. */
    static boolean requiresMembers(JsonNode schema) {
        return new TypeScriptTypes(schema).requiresMembers(schema, MAX_DEPTH);
    }

    /** Returns a member's name, quoted unless it is a plain identifier. */
    static String memberName(String name) {
        return isIdentifier(name) ? name : quote(name);
    }

    private boolean requiresMembers(JsonNode schema, int depth) {
        if (depth == 0 || ++types > MAX_TYPES) {
            return false;
        }
        SchemaPartList list = enter(schema);
        boolean required = list.parts().stream()
                .anyMatch(part -> !part.path("required").isEmpty()
                        || UNIONS.stream()
                                .map(part::path)
                                .anyMatch(union -> !union.isEmpty()
                                        && elements(union).stream()
                                                .allMatch(each -> requiresMembers(each, depth - 1))));
        schemaParts.exit(list);
        return required;
    }

    private String type(JsonNode schema, String indent, int depth) {
        if (depth == 0 || !schema.isObject() || ++types > MAX_TYPES || length > MAX_LENGTH) {
            return UNKNOWN;
        }
        SchemaPartList list = enter(schema);
        String type = type(list, indent, depth);
        schemaParts.exit(list);
        return type;
    }

    private SchemaPartList enter(JsonNode schema) {
        SchemaPartList list = schemaParts.enter(schema);
        for (JsonNode part : list.parts()) {
            int entries = part.size();
            for (JsonNode keyword : part) {
                entries += keyword.size();
            }
            types += entries / ENTRIES_OF_A_TYPE;
        }
        return list;
    }

    private String type(SchemaPartList list, String indent, int depth) {
        List<JsonNode> parts = list.parts();
        Set<String> all = new LinkedHashSet<>();
        boolean object = parts.stream().anyMatch(TypeScriptTypes::isObject);
        if (object && !ObjectMembers.of(parts).isEmpty()) {
            all.add(object(parts, indent, depth));
        }
        for (JsonNode part : parts) {
            String own = ownType(part, indent, depth);
            if (!own.equals(UNKNOWN)) {
                all.add(own);
            }
        }
        if (all.isEmpty()) {
            return object ? ANY_OBJECT : UNKNOWN;
        }
        String type = all.size() == 1
                ? all.iterator().next()
                : all.stream().map(TypeScriptTypes::inParentheses).collect(Collectors.joining(" & "));
        boolean nullable = parts.stream().anyMatch(part -> part.path("nullable").asBoolean(false));
        return nullable && !type.endsWith("null") ? type + " | null" : type;
    }

    /** Whether a part describes an object and nothing else. */
    private static boolean isObject(JsonNode part) {
        JsonNode type = part.path("type");
        boolean described = type.isMissingNode()
                && (part.path("properties").isObject()
                        || part.path("additionalProperties").isObject()
                        || part.path("patternProperties").isObject());
        return (described || type.asText().equals("object"))
                && !part.has("const")
                && !part.path("enum").isArray();
    }

    /** Returns the type of one part, apart from an object and from the parts that it refers to. */
    private String ownType(JsonNode part, String indent, int depth) {
        if (part.has("const")) {
            return literal(part.path("const"));
        }
        if (part.path("enum").isArray()) {
            return union(elements(part.path("enum")).stream()
                    .limit(MAX_MEMBERS)
                    .map(this::literal)
                    .toList());
        }
        for (String any : UNIONS) {
            if (part.path(any).isArray()) {
                List<String> alternatives = elements(part.path(any)).stream()
                        .limit(MAX_MEMBERS)
                        .map(each -> type(each, indent, depth - 1))
                        .toList();
                boolean informative = !alternatives.contains(UNKNOWN);
                if (informative || (part.path("type").isMissingNode() && !isObject(part))) {
                    return union(alternatives);
                }
            }
        }
        JsonNode type = part.path("type");
        if (type.isArray()) {
            return union(elements(type).stream()
                    .map(JsonNode::asText)
                    .distinct()
                    .map(each -> named(each, part, indent, depth))
                    .toList());
        }
        return isObject(part) ? UNKNOWN : named(type.asText(""), part, indent, depth);
    }

    private String named(String type, JsonNode schema, String indent, int depth) {
        return switch (type) {
            case "string", "boolean", "null" -> type;
            case "number", "integer" -> "number";
            case "array" -> list(schema, indent, depth);
            case "object" -> object(List.of(schema), indent, depth);
            default -> UNKNOWN;
        };
    }

    private String list(JsonNode schema, String indent, int depth) {
        JsonNode items = schema.path("items");
        JsonNode first = items.isArray() ? items : schema.path("prefixItems");
        JsonNode more = items.isArray() ? schema.path("additionalItems") : items;
        if (!first.isArray() || first.isEmpty()) {
            return inParentheses(type(more, indent, depth - 1)) + "[]";
        }
        List<String> places = new ArrayList<>();
        elements(first).stream().limit(MAX_MEMBERS).forEach(place -> places.add(type(place, indent, depth - 1)));
        if (more.isObject() && !more.isEmpty()) {
            places.add("..." + inParentheses(type(more, indent, depth - 1)) + "[]");
        }
        return "[" + String.join(", ", places) + "]";
    }

    /** Renders the members of all parts as one object. */
    private String object(List<JsonNode> parts, String indent, int depth) {
        ObjectMembers members = ObjectMembers.of(parts);
        List<String> others = members.otherMembers().stream()
                .limit(MAX_MEMBERS)
                .map(each -> type(each, indent + "  ", depth - 1))
                .toList();
        if (members.properties().isEmpty()) {
            return others.isEmpty() ? ANY_OBJECT : "Record<string, " + union(others) + ">";
        }
        String inner = indent + "  ";
        StringBuilder text = new StringBuilder("{\n");
        int shown = 0;
        for (Map.Entry<String, JsonNode> member : members.properties().entrySet()) {
            if (++shown > MAX_MEMBERS || length > MAX_LENGTH) {
                break;
            }
            String head = comment(member.getValue(), inner)
                    + inner
                    + memberName(member.getKey())
                    + (members.required().contains(member.getKey()) ? ": " : "?: ");
            length += head.length();
            text.append(head).append(type(member.getValue(), inner, depth - 1)).append(";\n");
        }
        if (!others.isEmpty()) {
            text.append(inner).append("[key: string]: ").append(union(others)).append(";\n");
        }
        return text.append(indent).append('}').toString();
    }

    private String comment(JsonNode schema, String indent) {
        SchemaPartList list = schemaParts.enter(schema);
        schemaParts.exit(list);
        return ToolDescription.comment(list.description(), indent);
    }

    private static String inParentheses(String type) {
        return type.contains(" | ") || type.contains(" & ") ? "(" + type + ")" : type;
    }

    private static String union(List<String> types) {
        String text = types.stream().distinct().limit(MAX_MEMBERS).collect(Collectors.joining(" | "));
        return text.isEmpty() ? UNKNOWN : text;
    }

    private String literal(JsonNode value) {
        if (!value.isValueNode() || length > MAX_LENGTH) {
            return UNKNOWN;
        }
        String text = value.isTextual() ? quote(value.textValue()) : value.toString();
        length += text.length();
        return text;
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
