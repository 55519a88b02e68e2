package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the targets of {@code $ref} within one document: JSON pointers, anchors, and parts with an identifier, as it is
 * written there. Not thread-safe.
 */
final class SchemaReferences {
    private static final List<String> ANCHORS = List.of("$anchor", "$dynamicAnchor");

    private final JsonNode root;
    private final String idKeyword;

    /** The innermost schema with an identifier around each schema, or the document. */
    private final IdentityHashMap<JsonNode, JsonNode> resources = new IdentityHashMap<>();

    private final Map<String, JsonNode> resourcesById = new HashMap<>();
    private final IdentityHashMap<JsonNode, Map<String, JsonNode>> anchors = new IdentityHashMap<>();
    private final IdentityHashMap<JsonNode, Optional<JsonNode>> targets = new IdentityHashMap<>();

    SchemaReferences(JsonNode root) {
        this.root = root;
        this.idKeyword = root.path("$schema").asText().contains("draft-04") ? "id" : "$id";
        index(root, root);
    }

    private void index(JsonNode schema, JsonNode around) {
        if (!schema.isObject()) {
            return;
        }
        String id = schema.path(idKeyword).asText("");
        int hash = id.indexOf('#');
        boolean identified = !id.isEmpty() && hash != 0;
        JsonNode resource = identified ? schema : around;
        resources.put(schema, resource);
        if (identified) {
            resourcesById.putIfAbsent(hash < 0 ? id : id.substring(0, hash), schema);
        } else if (hash == 0) {
            addAnchor(resource, id.substring(1), schema);
        }
        for (String keyword : ANCHORS) {
            if (schema.path(keyword).isTextual()) {
                addAnchor(resource, schema.path(keyword).textValue(), schema);
            }
        }
        SchemaKeywords.subschemas(schema).forEach(part -> index(part, resource));
    }

    private void addAnchor(JsonNode resource, String name, JsonNode schema) {
        anchors.computeIfAbsent(resource, key -> new HashMap<>()).putIfAbsent(name, schema);
    }

    /** Returns the schema from which pointers of a schema begin. */
    JsonNode resource(JsonNode schema) {
        return resources.getOrDefault(schema, root);
    }

    /** Returns the target of a schema's reference; empty if it has no reference, or if there is no such target. */
    Optional<JsonNode> target(JsonNode schema) {
        JsonNode reference = schema.path("$ref");
        if (!reference.isTextual()) {
            return Optional.empty();
        }
        Optional<JsonNode> known = targets.get(schema);
        if (known != null) {
            return known;
        }
        Optional<JsonNode> found = find(resource(schema), reference.textValue());
        targets.put(schema, found);
        return found;
    }

    private Optional<JsonNode> find(JsonNode around, String reference) {
        int hash = reference.indexOf('#');
        String id = hash < 0 ? reference : reference.substring(0, hash);
        String fragment = hash < 0 ? "" : reference.substring(hash + 1);
        JsonNode resource = id.isEmpty() ? around : resourcesById.get(id);
        if (resource == null) {
            return Optional.empty();
        }
        return fragment.isEmpty() || fragment.startsWith("/")
                ? SchemaPointer.find(resource, fragment)
                : Optional.ofNullable(anchors.getOrDefault(resource, Map.of()).get(fragment));
    }
}
