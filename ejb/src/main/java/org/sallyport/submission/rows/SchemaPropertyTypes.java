package org.sallyport.submission.rows;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The JSON types that a JSON Schema of an object allows for its properties, as far as the schema says so in {@code
 * type}, {@code enum}, {@code const}, its combinations of schemas and references within the schema. Visits each schema
 * at most once for a property, because references may form cycles. Thread-safe.
 */
final class SchemaPropertyTypes {
    private static final List<String> COMBINATIONS = List.of("allOf", "anyOf", "oneOf");

    private final JsonNode root;
    /** The schemas that apply to the object as a whole. */
    private final List<JsonNode> objectSchemas;

    SchemaPropertyTypes(JsonNode root) {
        this.root = root;
        this.objectSchemas = withParts(List.of(root));
    }

    /** Types of the property, as in {@code type} of JSON Schema; empty if the schema does not say. */
    Set<String> of(String property) {
        Set<JsonNode> schemas = Collections.newSetFromMap(new IdentityHashMap<>());
        for (JsonNode schema : objectSchemas) {
            JsonNode known = schema.path("properties").path(property);
            schemas.add(known.isMissingNode() ? schema.path("additionalProperties") : known);
        }
        Set<String> types = new LinkedHashSet<>();
        withParts(schemas).forEach(schema -> addTypes(schema, types));
        return types;
    }

    /** The names of the properties that the schema lists, in their order. */
    Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        objectSchemas.forEach(schema -> schema.path("properties").fieldNames().forEachRemaining(names::add));
        return names;
    }

    private static void addTypes(JsonNode schema, Set<String> types) {
        JsonNode type = schema.path("type");
        if (type.isTextual()) {
            types.add(type.textValue());
        } else if (type.isArray()) {
            type.forEach(each -> types.add(each.asText()));
        } else {
            schema.path("enum").forEach(value -> types.add(typeOf(value)));
            if (schema.has("const")) {
                types.add(typeOf(schema.path("const")));
            }
        }
    }

    /** The schemas and all others that apply to the same value, each once, in the order in which they are found. */
    private List<JsonNode> withParts(Iterable<JsonNode> schemas) {
        Set<JsonNode> visited = Collections.newSetFromMap(new IdentityHashMap<>());
        List<JsonNode> found = new ArrayList<>();
        Deque<JsonNode> waiting = new ArrayDeque<>();
        Consumer<JsonNode> visit = schema -> {
            if (visited.add(schema)) {
                waiting.add(schema);
            }
        };
        schemas.forEach(visit);
        while (!waiting.isEmpty()) {
            JsonNode schema = waiting.remove();
            found.add(schema);
            String reference = schema.path("$ref").asText("");
            if (reference.equals("#")) {
                visit.accept(root);
            } else if (reference.startsWith("#/")) {
                visit.accept(root.at(reference.substring(1)));
            }
            COMBINATIONS.forEach(combination -> schema.path(combination).forEach(visit));
        }
        return found;
    }

    private static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case BOOLEAN -> "boolean";
            case NUMBER -> "number";
            case OBJECT -> "object";
            case ARRAY -> "array";
            case NULL -> "null";
            default -> "string";
        };
    }
}
