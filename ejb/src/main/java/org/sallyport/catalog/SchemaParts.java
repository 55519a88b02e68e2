package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Finds the schemas that a schema consists of: itself, the targets of {@code $ref}, and the parts of {@code allOf}.
 * Counts how often the target of a reference is entered, so that recursive schemas end. Not thread-safe.
 */
final class SchemaParts {
    /** A recursive schema is shown with this number of levels. */
    private static final int MAX_RECURSION = 2;

    private static final int MAX_PARTS = 100;

    private final SchemaReferences references;
    private final IdentityHashMap<JsonNode, Integer> entered = new IdentityHashMap<>();

    /** @param root the document to which references point */
    SchemaParts(JsonNode root) {
        this.references = new SchemaReferences(root);
    }

    /**
     * The parts of one schema.
     *
     * @param parts the parts, of which {@code $ref} and {@code allOf} are no longer to be read
     * @param targets the targets of references among them, until {@link SchemaParts#exit}
     * @param complete whether all references have a target that is not nested in itself too often
     */
    record SchemaPartList(List<JsonNode> parts, List<JsonNode> targets, boolean complete) {
        /** Returns the first description; empty if there is none. */
        String description() {
            return parts.stream()
                    .map(part -> part.path("description").asText(""))
                    .filter(text -> !text.isBlank())
                    .findFirst()
                    .orElse("");
        }
    }

    /** Returns the parts of a schema and enters the targets of its references. */
    SchemaPartList enter(JsonNode schema) {
        List<JsonNode> parts = new ArrayList<>();
        List<JsonNode> targets = new ArrayList<>();
        boolean complete = collect(schema, parts, targets);
        return new SchemaPartList(parts, targets, complete);
    }

    /** Leaves the targets that were entered. */
    void exit(SchemaPartList list) {
        list.targets().forEach(target -> entered.merge(target, -1, Integer::sum));
    }

    private boolean collect(JsonNode schema, List<JsonNode> parts, List<JsonNode> targets) {
        if (parts.size() >= MAX_PARTS) {
            return false;
        }
        parts.add(schema);
        boolean complete = true;
        if (schema.path("$ref").isTextual()) {
            JsonNode target = references.target(schema).orElse(null);
            if (target == null || entered.getOrDefault(target, 0) >= MAX_RECURSION) {
                complete = false;
            } else {
                entered.merge(target, 1, Integer::sum);
                targets.add(target);
                complete = collect(target, parts, targets);
            }
        }
        for (JsonNode part : schema.path("allOf")) {
            if (parts.size() >= MAX_PARTS) {
                return false;
            }
            complete &= collect(part, parts, targets);
        }
        return complete;
    }
}
