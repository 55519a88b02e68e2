package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Converts alternatives that a property distinguishes ({@code discriminator}) to JSON Schema, which knows no
 * discriminator: each alternative requires its own values of the property, so that two alternatives with the same
 * members do not both match.
 */
final class DiscriminatorConverter {
    private static final int MAX_MAPPINGS = 2_000;
    private static final String SCHEMAS = "#/components/schemas/";
    private static final Pattern INTEGER = Pattern.compile("0|-?[1-9][0-9]{0,14}");
    private static final List<String> ALTERNATIVES = List.of("oneOf", "anyOf");
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final OpenApiSchemaParts parts;
    private final SchemaConversionLimit limit;

    DiscriminatorConverter(OpenApiSchemaParts parts, SchemaConversionLimit limit) {
        this.parts = parts;
        this.limit = limit;
    }

    /**
     * Changes a converted schema.
     *
     * @param declared the schema in the document
     * @param converted the same schema, with its alternatives in the same order
     */
    void convert(JsonNode declared, ObjectNode converted) {
        String property = declared.path("discriminator").path("propertyName").asText();
        Optional<String> keyword = ALTERNATIVES.stream()
                .filter(name ->
                        converted.path(name).isArray() && declared.path(name).isArray())
                .findFirst();
        if (property.isEmpty() || keyword.isEmpty()) {
            return;
        }
        Map<String, SortedSet<String>> values =
                valuesByReference(declared.path("discriminator").path("mapping"));
        ArrayNode distinct = JSON.arrayNode();
        JsonNode alternatives = converted.path(keyword.get());
        for (int i = 0; i < alternatives.size(); i++) {
            distinct.add(alternative(declared.path(keyword.get()).path(i), alternatives.path(i), property, values));
        }
        converted.remove(keyword.get());
        if (converted.has("anyOf")) {
            converted.withArray("allOf").addObject().set("anyOf", distinct);
        } else {
            converted.set("anyOf", distinct);
        }
    }

    /** Returns the values of the property by the reference to the schema that they stand for. */
    private Map<String, SortedSet<String>> valuesByReference(JsonNode mapping) {
        limit.countSteps(Math.min(MAX_MAPPINGS, mapping.size()));
        Map<String, SortedSet<String>> values = new LinkedHashMap<>();
        mapping.properties().stream().limit(MAX_MAPPINGS).forEach(entry -> {
            String target = entry.getValue().asText();
            String reference = target.startsWith("#") ? target : SCHEMAS + target;
            values.computeIfAbsent(decoded(reference), added -> new TreeSet<>()).add(entry.getKey());
        });
        return values;
    }

    /**
     * Without values in the mapping, the values that the alternative itself declares count, otherwise the name of its
     * schema. An alternative without any stays as it is.
     */
    private JsonNode alternative(
            JsonNode declared, JsonNode converted, String property, Map<String, SortedSet<String>> mapping) {
        String reference = decoded(declared.path("$ref").asText());
        SortedSet<String> values = new TreeSet<>(mapping.getOrDefault(reference, Collections.emptySortedSet()));
        if (values.isEmpty() && !parts.hasFixedValues(declared, property)) {
            if (reference.isEmpty()) {
                return converted;
            }
            values.add(reference.substring(reference.lastIndexOf('/') + 1));
        }
        ObjectNode condition = JSON.objectNode();
        if (!values.isEmpty()) {
            ArrayNode allowed =
                    condition.putObject("properties").putObject(property).putArray("enum");
            values.forEach(value -> addValue(allowed, value));
        }
        condition.putArray("required").add(property);
        ObjectNode both = JSON.objectNode();
        both.putArray("allOf").add(condition).add(converted);
        return both;
    }

    /** Names in a mapping are texts; the property may be a number or a boolean. */
    private void addValue(ArrayNode allowed, String value) {
        limit.countCharacters(value.length());
        allowed.add(value);
        if (INTEGER.matcher(value).matches()) {
            allowed.add(Long.parseLong(value));
        } else if (value.equals("true") || value.equals("false")) {
            allowed.add(Boolean.parseBoolean(value));
        }
    }

    /** A reference may have percent-encoded characters. */
    private static String decoded(String reference) {
        try {
            return URLDecoder.decode(reference.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return reference;
        }
    }
}
