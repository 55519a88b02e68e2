package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;

/** Translates keywords that OpenAPI 3.0 defines differently from JSON Schema; later documents have them, too. */
final class OpenApiKeywordAdapter {
    /** Keywords beside which {@code nullable} needs an alternative of its own. */
    private static final List<String> COMBINATIONS = List.of("allOf", "anyOf", "oneOf", "not", "const", "$ref");

    private static final List<String> ANNOTATIONS = List.of("title", "description", "default");
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private OpenApiKeywordAdapter() {}

    /**
     * Returns the adapted schema, which may be another object.
     *
     * @param schema the schema in the document
     * @param json the same schema, converted; is changed
     */
    static ObjectNode adapt(JsonNode schema, ObjectNode json) {
        adaptExclusiveBound(schema, json, "exclusiveMinimum", "minimum");
        adaptExclusiveBound(schema, json, "exclusiveMaximum", "maximum");
        if (!schema.path("nullable").asBoolean(false)) {
            return json;
        }
        if (COMBINATIONS.stream().anyMatch(json::has)
                || (!json.has("type") && (json.has("enum") || json.has("properties")))) {
            return withNull(json);
        }
        JsonNode type = json.path("type");
        if (type.isTextual()) {
            json.putArray("type").add(type.textValue()).add("null");
        } else if (type instanceof ArrayNode types && !contains(types, TextNode.valueOf("null"))) {
            json.set("type", types.deepCopy().add("null"));
        }
        if (!type.isMissingNode()
                && json.path("enum") instanceof ArrayNode values
                && !contains(values, NullNode.getInstance())) {
            json.set("enum", values.deepCopy().addNull());
        }
        return json;
    }

    private static boolean contains(ArrayNode values, JsonNode wanted) {
        for (JsonNode value : values) {
            if (value.equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the schema as an alternative to null; title, description and default stay at the top. */
    static ObjectNode withNull(ObjectNode schema) {
        ObjectNode nullable = JSON.objectNode();
        for (String annotation : ANNOTATIONS) {
            JsonNode value = schema.remove(annotation);
            if (value != null) {
                nullable.set(annotation, value);
            }
        }
        nullable.putArray("anyOf").add(schema).addObject().put("type", "null");
        return nullable;
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
}
