package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.SchemaException;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Bounds the work that a schema causes. Parts that refer to each other twice, many levels deep, would be evaluated
 * exponentially often for one value. Each reference is compiled with all that its target contains, so that references
 * to nested parts would need much memory. Not thread-safe.
 */
final class SchemaWorkBound {
    private static final long MAX_EVALUATIONS = 20_000;
    private static final long MAX_REPEATED_NODES = 300_000;
    private static final long IN_PROGRESS = -1;

    private final JsonNode root;
    private final SchemaReferences references;
    private final IdentityHashMap<JsonNode, Set<String>> compiled = new IdentityHashMap<>();
    private final IdentityHashMap<JsonNode, Long> sizes = new IdentityHashMap<>();
    private final Set<JsonNode> checked = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<JsonNode, Long> evaluations = new IdentityHashMap<>();
    private long repeatedNodes;

    SchemaWorkBound(JsonNode root) {
        this.root = root;
        this.references = new SchemaReferences(root);
    }

    /** Throws {@link SchemaException} if too many schemas apply to one value, or references repeat too much. */
    void check() {
        check(root);
    }

    private void check(JsonNode schema) {
        if (schema.isObject() && checked.add(schema)) {
            addRepeatedNodes(schema);
            count(schema);
            SchemaKeywords.subschemas(schema).forEach(this::check);
            references.target(schema).ifPresent(this::check);
        }
    }

    /** A reference with a target that is not found here counts as one to the whole document. */
    private void addRepeatedNodes(JsonNode schema) {
        JsonNode reference = schema.path("$ref");
        if (reference.isTextual()
                && compiled.computeIfAbsent(references.resource(schema), key -> new HashSet<>())
                        .add(reference.textValue())) {
            repeatedNodes += size(references.target(schema).orElse(root));
            if (repeatedNodes > MAX_REPEATED_NODES) {
                throw new SchemaException("its references repeat more than " + MAX_REPEATED_NODES + " parts of it");
            }
        }
    }

    private long size(JsonNode node) {
        if (!node.isContainerNode()) {
            return 1;
        }
        Long known = sizes.get(node);
        if (known != null) {
            return known;
        }
        long size = 1;
        for (JsonNode child : node) {
            size += size(child);
        }
        sizes.put(node, size);
        return size;
    }

    private long count(JsonNode schema) {
        Long known = evaluations.get(schema);
        if (known != null) {
            if (known == IN_PROGRESS) {
                throw new SchemaException("it refers to itself without end");
            }
            return known;
        }
        if (!schema.isObject()) {
            return 1; // nodes of booleans are shared
        }
        evaluations.put(schema, IN_PROGRESS);
        long count = 1;
        for (JsonNode part : SchemaKeywords.inPlaceSubschemas(schema)) {
            count += count(part);
        }
        count += references.target(schema).map(this::count).orElse(0L);
        if (count > MAX_EVALUATIONS) {
            throw new SchemaException("it applies more than " + MAX_EVALUATIONS + " schemas to one value");
        }
        evaluations.put(schema, count);
        return count;
    }
}
