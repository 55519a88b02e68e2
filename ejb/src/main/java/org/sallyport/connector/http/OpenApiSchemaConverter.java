package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Converts schemas of an OpenAPI document to self-contained JSON Schemas. Referenced schemas are copied once to
 * {@code $defs}, so that recursive schemas stay finite. Only known keywords are copied. An instance serves one tool.
 */
final class OpenApiSchemaConverter {
    private static final int MAX_DEPTH = 60;
    private static final int MAX_NODES = 5_000;
    private static final long MAX_CHARS = 1 << 20;
    private static final Set<String> VALUE_KEYWORDS = Set.of(
            "type",
            "enum",
            "const",
            "default",
            "format",
            "title",
            "description",
            "minimum",
            "maximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minContains",
            "maxContains",
            "minProperties",
            "maxProperties",
            "required",
            "dependentRequired",
            "exclusiveMinimum",
            "exclusiveMaximum");
    private static final Set<String> SCHEMA_KEYWORDS = Set.of(
            "items",
            "additionalProperties",
            "not",
            "contains",
            "propertyNames",
            "if",
            "then",
            "else",
            "unevaluatedItems",
            "unevaluatedProperties");
    private static final Set<String> SCHEMA_LIST_KEYWORDS = Set.of("allOf", "anyOf", "oneOf", "prefixItems");
    private static final Set<String> SCHEMA_MAP_KEYWORDS =
            Set.of("properties", "patternProperties", "dependentSchemas");
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final ImportedOpenApiDocument document;
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Deque<String> pending = new ArrayDeque<>();
    private final ObjectNode definitions = JSON.objectNode();
    private int nodes;
    private long chars;

    OpenApiSchemaConverter(ImportedOpenApiDocument document) {
        this.document = document;
    }

    /** The schema exceeds the limits on size or depth. */
    static final class SchemaTooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The schemas that the converted schemas refer to; must be placed at the root as {@code $defs}. */
    ObjectNode definitions() {
        return definitions;
    }

    /** Converts one schema of the document. */
    JsonNode convert(JsonNode schema) {
        JsonNode converted = convert(schema, 0);
        for (String reference = pending.poll(); reference != null; reference = pending.poll()) {
            definitions.set(names.getOrDefault(reference, ""), convert(document.resolveReference(reference), 0));
        }
        return converted;
    }

    private JsonNode convert(JsonNode schema, int depth) {
        if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
            throw new SchemaTooLargeException();
        }
        if (schema.isBoolean()) {
            return schema;
        }
        ObjectNode json = JSON.objectNode();
        if (schema.path("$ref").isTextual()) {
            json.put("$ref", "#/$defs/" + definitionName(schema.path("$ref").textValue()));
            if (!document.readsMembersBesideReferences()) {
                return json;
            }
        }
        schema.properties().forEach(entry -> convertKeyword(json, entry.getKey(), entry.getValue(), depth + 1));
        adaptOpenApi30(schema, json);
        return json;
    }

    private void convertKeyword(ObjectNode json, String keyword, JsonNode value, int depth) {
        if (VALUE_KEYWORDS.contains(keyword)) {
            chars += value.toString().length();
            if (chars > MAX_CHARS) {
                throw new SchemaTooLargeException();
            }
            json.set(keyword, value);
        } else if (SCHEMA_KEYWORDS.contains(keyword) && (value.isObject() || value.isBoolean())) {
            json.set(keyword, convert(value, depth));
        } else if (SCHEMA_LIST_KEYWORDS.contains(keyword) && value.isArray()) {
            ArrayNode list = json.putArray(keyword);
            value.forEach(item -> list.add(convert(item, depth)));
        } else if (SCHEMA_MAP_KEYWORDS.contains(keyword) && value.isObject()) {
            ObjectNode named = json.putObject(keyword);
            value.properties().forEach(entry -> named.set(entry.getKey(), convert(entry.getValue(), depth)));
        }
    }

    /** Translates keywords that OpenAPI 3.0 defines differently from JSON Schema. */
    private static void adaptOpenApi30(JsonNode schema, ObjectNode json) {
        adaptExclusiveBound(schema, json, "exclusiveMinimum", "minimum");
        adaptExclusiveBound(schema, json, "exclusiveMaximum", "maximum");
        if (schema.path("nullable").asBoolean(false) && json.path("type").isTextual()) {
            String type = json.path("type").textValue();
            json.putArray("type").add(type).add("null");
            if (json.path("enum") instanceof ArrayNode values) {
                json.set("enum", values.deepCopy().addNull());
            }
        }
    }

    private static void adaptExclusiveBound(JsonNode schema, ObjectNode json, String exclusive, String limit) {
        if (schema.path(exclusive).isBoolean()) {
            JsonNode bound = json.remove(limit);
            json.remove(exclusive);
            if (bound != null) {
                json.set(schema.path(exclusive).booleanValue() ? exclusive : limit, bound);
            }
        }
    }

    private String definitionName(String reference) {
        String known = names.get(reference);
        if (known != null) {
            return known;
        }
        document.resolveReference(reference);
        String plain = reference.substring(reference.lastIndexOf('/') + 1).replaceAll("[^A-Za-z0-9_.-]", "_");
        String name = plain;
        for (int number = 2; names.containsValue(name); number++) {
            name = plain + "_" + number;
        }
        names.put(reference, name);
        pending.add(reference);
        return name;
    }
}
