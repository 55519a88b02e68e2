package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Converts schemas of an OpenAPI document to self-contained JSON Schemas. Referenced schemas are copied once to
 * {@code $defs}, so that recursive schemas stay finite. Only known keywords are copied. Properties that are only for
 * the other direction are allowed, and never required. An instance serves one direction of one tool.
 */
final class OpenApiSchemaConverter {
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
    /** Keywords with a schema for the same value. */
    private static final Set<String> CONDITIONS = Set.of("if", "then", "else");

    private static final Set<String> SCHEMA_LIST_KEYWORDS = Set.of("allOf", "anyOf", "oneOf", "prefixItems");
    private static final Set<String> SCHEMA_MAP_KEYWORDS =
            Set.of("properties", "patternProperties", "dependentSchemas");
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final ImportedOpenApiDocument document;
    private final SchemaDirection direction;
    private final SchemaConversionLimit limit;
    private final OpenApiSchemaParts parts;
    private final DiscriminatorConverter discriminators;
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Set<String> usedNames = new HashSet<>();
    private final Deque<String> pending = new ArrayDeque<>();
    private final ObjectNode definitions = JSON.objectNode();

    /** Where values of the schemas are sent. */
    enum SchemaDirection {
        REQUEST("readOnly"),
        RESPONSE("writeOnly");

        /** Marks properties that this direction does not have. */
        private final String absentKeyword;

        SchemaDirection(String absentKeyword) {
            this.absentKeyword = absentKeyword;
        }
    }

    OpenApiSchemaConverter(ImportedOpenApiDocument document, SchemaDirection direction) {
        this.document = document;
        this.direction = direction;
        this.limit = new SchemaConversionLimit(document);
        this.parts = new OpenApiSchemaParts(document, limit);
        this.discriminators = new DiscriminatorConverter(parts, limit);
    }

    /** The schemas that the converted schemas refer to; must be placed at the root as {@code $defs}. */
    ObjectNode definitions() {
        return definitions;
    }

    /**
     * Converts one schema of the document; throws {@link SchemaConversionLimit.SchemaTooLargeException} if it is too
     * large or too deep.
     */
    JsonNode convert(JsonNode schema) {
        JsonNode converted = convert(schema, 0, Set.of());
        for (String reference = pending.poll(); reference != null; reference = pending.poll()) {
            definitions.set(
                    names.getOrDefault(reference, ""), convert(document.resolveReference(reference), 0, Set.of()));
        }
        return converted;
    }

    /** @param absent names of properties that the schemas around this one mark as absent, for the same value */
    private JsonNode convert(JsonNode schema, int depth, Set<String> absent) {
        limit.countNode(schema, depth);
        if (schema.isBoolean()) {
            return schema;
        }
        ObjectNode json = JSON.objectNode();
        JsonNode reference = reference(schema);
        if (reference.isTextual()) {
            json.put("$ref", "#/$defs/" + definitionName(reference.textValue()));
            if (!document.readsMembersBesideReferences()) {
                return json;
            }
        }
        Set<String> absentHere = absentProperties(schema, absent);
        schema.properties()
                .forEach(entry -> convertKeyword(json, entry.getKey(), entry.getValue(), depth + 1, absentHere));
        setRequired(json, schema.path("required"), absentHere);
        discriminators.convert(schema, json);
        return OpenApiKeywordAdapter.adapt(schema, json);
    }

    /** A dynamic reference is read as one to the schema of that name in the document. */
    private JsonNode reference(JsonNode schema) {
        JsonNode reference = schema.path("$ref");
        return reference.isTextual() || !document.readsMembersBesideReferences()
                ? reference
                : schema.path("$dynamicRef");
    }

    /** Returns the properties that this direction does not have, also those of parts and alternatives of the schema. */
    private Set<String> absentProperties(JsonNode schema, Set<String> around) {
        if (!schema.has("required") && !schema.has("allOf") && !schema.has("anyOf") && !schema.has("oneOf")) {
            return around;
        }
        limit.countSteps(around.size());
        Set<String> absent = new HashSet<>(around);
        addAbsentProperties(absent, schema);
        if (schema.has("required")) {
            schema.path("anyOf").forEach(alternative -> addAbsentProperties(absent, alternative));
            schema.path("oneOf").forEach(alternative -> addAbsentProperties(absent, alternative));
        }
        return absent;
    }

    private void addAbsentProperties(Set<String> absent, JsonNode schema) {
        for (JsonNode part : parts.find(schema)) {
            for (var property : part.path("properties").properties()) {
                if (parts.isTrue(property.getValue(), direction.absentKeyword)) {
                    absent.add(property.getKey());
                }
            }
        }
    }

    private void setRequired(ObjectNode json, JsonNode required, Set<String> absent) {
        limit.countValue(required);
        ArrayNode names = JSON.arrayNode();
        required.forEach(name -> {
            if (!absent.contains(name.asText())) {
                names.add(name);
            }
        });
        // A boolean, as in the third draft of JSON Schema, has no meaning here.
        if (required.isArray() && (names.size() == required.size() || !names.isEmpty())) {
            json.set("required", names);
        }
    }

    private void convertKeyword(ObjectNode json, String keyword, JsonNode value, int depth, Set<String> absent) {
        if (VALUE_KEYWORDS.contains(keyword)) {
            limit.countValue(value);
            json.set(keyword, value);
        } else if (SCHEMA_KEYWORDS.contains(keyword) && (value.isObject() || value.isBoolean())) {
            json.set(keyword, convert(value, depth, CONDITIONS.contains(keyword) ? absent : Set.of()));
        } else if (SCHEMA_LIST_KEYWORDS.contains(keyword) && value.isArray()) {
            ArrayNode list = json.putArray(keyword);
            Set<String> absentInItem = keyword.equals("prefixItems") ? Set.of() : absent;
            value.forEach(item -> list.add(convert(item, depth, absentInItem)));
        } else if (SCHEMA_MAP_KEYWORDS.contains(keyword) && value.isObject()) {
            ObjectNode named = json.putObject(keyword);
            Set<String> absentInMember = keyword.equals("dependentSchemas") ? absent : Set.of();
            value.properties().forEach(entry -> {
                limit.countCharacters(entry.getKey().length());
                named.set(entry.getKey(), convert(entry.getValue(), depth, absentInMember));
            });
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
        for (int number = 2; !usedNames.add(name); number++) {
            name = plain + "_" + number;
        }
        names.put(reference, name);
        pending.add(reference);
        return name;
    }
}
