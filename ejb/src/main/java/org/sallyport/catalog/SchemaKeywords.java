package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.List;

/** Where a JSON Schema of any version has schemas within it. */
final class SchemaKeywords {
    private static final List<String> SCHEMAS = List.of(
            "not",
            "if",
            "then",
            "else",
            "items",
            "additionalItems",
            "contains",
            "additionalProperties",
            "propertyNames",
            "unevaluatedItems",
            "unevaluatedProperties",
            "contentSchema");
    private static final List<String> LISTS = List.of("allOf", "anyOf", "oneOf", "prefixItems", "items");
    private static final List<String> MAPS =
            List.of("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions");

    /** Keywords whose schemas apply to the same value as the schema around them. */
    private static final List<String> IN_PLACE_SCHEMAS = List.of("not", "if", "then", "else");

    private static final List<String> IN_PLACE_LISTS = List.of("allOf", "anyOf", "oneOf");
    private static final List<String> IN_PLACE_MAPS = List.of("dependentSchemas", "dependencies");

    private SchemaKeywords() {}

    /** Returns the schemas directly within a schema; no values of {@code const}, {@code enum} or the like. */
    static List<JsonNode> subschemas(JsonNode schema) {
        return collect(schema, SCHEMAS, LISTS, MAPS);
    }

    /** Returns the schemas within a schema that apply to the same value. */
    static List<JsonNode> inPlaceSubschemas(JsonNode schema) {
        return collect(schema, IN_PLACE_SCHEMAS, IN_PLACE_LISTS, IN_PLACE_MAPS);
    }

    private static List<JsonNode> collect(JsonNode schema, List<String> single, List<String> lists, List<String> maps) {
        List<JsonNode> found = new ArrayList<>();
        if (!schema.isObject()) {
            return found;
        }
        single.stream().map(schema::path).filter(JsonNode::isObject).forEach(found::add);
        lists.stream().map(schema::path).filter(ArrayNode.class::isInstance).forEach(list -> list.forEach(found::add));
        maps.stream().map(schema::path).filter(JsonNode::isObject).forEach(map -> map.forEach(found::add));
        return found;
    }
}
