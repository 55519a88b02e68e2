package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Finds what the parts of a schema say together: the schema itself, and those in {@code allOf}, also in references. An
 * instance serves one conversion.
 */
final class OpenApiSchemaParts {
    private static final int MAX_PARTS = 50;

    private final ImportedOpenApiDocument document;
    private final SchemaConversionLimit limit;

    OpenApiSchemaParts(ImportedOpenApiDocument document, SchemaConversionLimit limit) {
        this.document = document;
        this.limit = limit;
    }

    /** Returns the parts without references, the schema itself first; of many, the first 50. */
    List<JsonNode> find(JsonNode schema) {
        List<JsonNode> parts = new ArrayList<>();
        Deque<JsonNode> open = new ArrayDeque<>(List.of(schema));
        while (parts.size() < MAX_PARTS && !open.isEmpty()) {
            limit.countPart();
            JsonNode part = document.resolveSchema(open.remove());
            parts.add(part);
            for (JsonNode combined : part.path("allOf")) {
                if (open.size() >= MAX_PARTS) {
                    break;
                }
                open.add(combined);
            }
        }
        return parts;
    }

    /** Whether a part has {@code keyword} with the value true. */
    boolean isTrue(JsonNode schema, String keyword) {
        return find(schema).stream().anyMatch(part -> part.path(keyword).asBoolean(false))
                || schema.path(keyword).asBoolean(false);
    }

    /** Whether a property has fixed values ({@code const} or {@code enum}). */
    boolean hasFixedValues(JsonNode schema, String property) {
        return find(schema).stream()
                .map(part -> part.path("properties").path(property))
                .filter(declared -> !declared.isMissingNode())
                .flatMap(declared -> find(declared).stream())
                .anyMatch(part -> part.has("const") || part.has("enum"));
    }
}
