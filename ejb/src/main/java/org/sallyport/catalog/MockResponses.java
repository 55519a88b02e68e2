package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** Makes mocked replies of tools: the submitter's fixture, or the smallest value that fits the tool's output schema. */
public final class MockResponses {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int MAX_DEPTH = 20;
    private static final int MAX_LENGTH = 100;
    private static final int MAX_VALUES = 10_000;
    private static final List<String> FIXED_VALUE_KEYWORDS = List.of("const", "default");

    private int remainingValues = MAX_VALUES;

    private MockResponses() {}

    /** @param fixtures an object with replies by tool name */
    public static Json of(ToolSpec tool, Json fixtures) {
        JsonNode given = read(fixtures).path(tool.name().toString());
        if (!given.isMissingNode()) {
            return new Json(given.toString());
        }
        return tool.outputSchema()
                .map(schema ->
                        new Json(new MockResponses().sample(read(schema), 0).toString()))
                .orElse(Json.NULL);
    }

    private static JsonNode read(Json json) {
        try {
            return JSON.readTree(json.text());
        } catch (JsonProcessingException | NumberFormatException | ArithmeticException e) {
            return NODES.missingNode();
        }
    }

    private JsonNode sample(JsonNode schema, int depth) {
        if (--remainingValues < 0) {
            return NODES.nullNode();
        }
        for (String name : FIXED_VALUE_KEYWORDS) {
            if (schema.has(name)) {
                return schema.get(name);
            }
        }
        for (String name : List.of("examples", "enum")) {
            if (schema.path(name).has(0)) {
                return schema.path(name).get(0);
            }
        }
        for (String name : List.of("anyOf", "oneOf", "allOf")) {
            if (schema.path(name).has(0) && depth < MAX_DEPTH) {
                return sample(schema.path(name).get(0), depth + 1);
            }
        }
        return depth >= MAX_DEPTH ? NODES.nullNode() : sampleOfType(schema, depth);
    }

    private JsonNode sampleOfType(JsonNode schema, int depth) {
        JsonNode types = schema.path("type");
        String type = types.isArray() ? types.path(0).asText() : types.asText();
        return switch (type.isEmpty() && schema.has("properties") ? "object" : type) {
            case "object" -> object(schema, depth);
            case "array" -> array(schema, depth);
            case "string" ->
                NODES.textNode(
                        "x".repeat(Math.min(MAX_LENGTH, schema.path("minLength").asInt(0))));
            case "integer" -> NODES.numberNode(schema.path("minimum").asLong(0));
            case "number" -> NODES.numberNode(schema.path("minimum").asDouble(0));
            case "boolean" -> NODES.booleanNode(false);
            default -> NODES.nullNode();
        };
    }

    private JsonNode object(JsonNode schema, int depth) {
        ObjectNode object = NODES.objectNode();
        schema.path("properties")
                .properties()
                .forEach(property -> object.set(property.getKey(), sample(property.getValue(), depth + 1)));
        return object;
    }

    private JsonNode array(JsonNode schema, int depth) {
        var array = NODES.arrayNode();
        int length = Math.min(MAX_LENGTH, schema.path("minItems").asInt(0));
        for (int i = 0; i < length; i++) {
            array.add(sample(schema.path("items"), depth + 1));
        }
        return array;
    }
}
