package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The schemas of a document that have a name of their own ({@code $anchor}). Immutable. */
final class SchemaAnchors {
    /** Members whose values are data. */
    private static final Set<String> DATA_MEMBERS = Set.of("example", "examples", "default", "enum", "const");

    private final Map<String, JsonNode> schemas = new HashMap<>();
    private final Set<String> ambiguous = new HashSet<>();

    SchemaAnchors(JsonNode document) {
        Deque<JsonNode> open = new ArrayDeque<>();
        open.add(document);
        while (!open.isEmpty()) {
            JsonNode node = open.remove();
            add(node.path("$anchor"), node);
            if (!node.path("$dynamicAnchor").equals(node.path("$anchor"))) {
                add(node.path("$dynamicAnchor"), node);
            }
            if (node.isArray()) {
                node.forEach(item -> addContainer(open, item));
            } else {
                node.properties().forEach(member -> {
                    if (!DATA_MEMBERS.contains(member.getKey())) {
                        addContainer(open, member.getValue());
                    }
                });
            }
        }
    }

    private static void addContainer(Deque<JsonNode> open, JsonNode node) {
        if (node.isContainerNode()) {
            open.add(node);
        }
    }

    private void add(JsonNode name, JsonNode schema) {
        if (name.isTextual() && schemas.putIfAbsent(name.textValue(), schema) != null) {
            ambiguous.add(name.textValue());
        }
    }

    /**
     * Returns the schema with this name; throws {@link org.sallyport.connector.InvalidBackendException} if there is
     * none, or more than one.
     */
    JsonNode find(String name) {
        JsonNode schema = schemas.get(name);
        if (schema == null || ambiguous.contains(name)) {
            throw ImportedOpenApiDocument.invalid("refers to '#" + ImportedOpenApiDocument.abbreviate(name)
                    + (schema == null ? "', which does not exist" : "', which exists more than once"));
        }
        return schema;
    }
}
