package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.SchemaException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;

/**
 * Bounds the work that a schema causes for one value: a schema whose parts refer to each other twice, many levels deep,
 * would be evaluated exponentially often. Not thread-safe.
 */
final class SchemaWorkBound {
    private static final long MAX_EVALUATIONS = 20_000;
    private static final long IN_PROGRESS = -1;

    private final JsonNode root;
    private final Set<JsonNode> checked = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<JsonNode, Long> evaluations = new IdentityHashMap<>();

    SchemaWorkBound(JsonNode root) {
        this.root = root;
    }

    /** Throws {@link SchemaException} if a schema within the document applies too many schemas to one value. */
    void check() {
        check(root);
    }

    private void check(JsonNode schema) {
        if (schema.isObject() && checked.add(schema)) {
            count(schema);
            SchemaKeywords.subschemas(schema).forEach(this::check);
            target(schema).ifPresent(this::check);
        }
    }

    private Optional<JsonNode> target(JsonNode schema) {
        JsonNode reference = schema.path("$ref");
        return reference.isTextual() ? SchemaKeywords.resolve(root, reference.textValue()) : Optional.empty();
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
        count += target(schema).map(this::count).orElse(0L);
        if (count > MAX_EVALUATIONS) {
            throw new SchemaException("it applies more than " + MAX_EVALUATIONS + " schemas to one value");
        }
        evaluations.put(schema, count);
        return count;
    }
}
