package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InvalidSchemaException;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.io.FileNotFoundException;
import java.util.List;
import java.util.Set;
import org.sallyport.tool.Json;

/**
 * Compiles JSON Schemas of servers and users. The dialect is the one of {@code $schema}. Without it, a schema is read
 * as 2020-12, or as 2019-09 if it has a list in {@code items}; bounds that are true or false count as in draft 4.
 * {@code nullable: true} allows null, as in OpenAPI 3.0. A schema cannot refer to anything outside itself: no file, no
 * network.
 */
final class SchemaCompiler {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SchemaRegistry LATEST = registry(SpecificationVersion.DRAFT_2020_12);
    private static final SchemaRegistry WITH_LISTS_OF_ITEMS = registry(SpecificationVersion.DRAFT_2019_09);

    /** Names of dialects without scheme and fragment. The first one is a name of the latest dialect. */
    private static final String LATEST_NAME = "json-schema.org/schema";

    private static final Set<String> DIALECTS = Set.of(
            LATEST_NAME,
            "json-schema.org/draft-04/schema",
            "json-schema.org/draft-06/schema",
            "json-schema.org/draft-07/schema",
            "json-schema.org/draft/2019-09/schema",
            "json-schema.org/draft/2020-12/schema");

    /** What references to a schema, or to the parts that it defines, depend on. */
    private static final List<String> REFERENCED =
            List.of("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$defs", "definitions");

    private static final List<String> COMBINATIONS = List.of("$ref", "allOf", "anyOf", "oneOf");

    private SchemaCompiler() {}

    private static SchemaRegistry registry(SpecificationVersion version) {
        return SchemaRegistry.withDefaultDialect(
                version,
                builder -> builder.resourceLoaders(loaders -> loaders.values(List::clear))
                        .schemaRegistryConfig(SchemaRegistryConfig.builder()
                                .regularExpressionFactory(BoundedRegex::new)
                                .build()));
    }

    /**
     * Compiles a schema with all its parts. Throws a {@link RuntimeException} with the reason if it cannot be used, for
     * example because its dialect is unknown or the target of a reference does not exist.
     */
    static Schema compile(Json schema) {
        JsonNode root = read(schema);
        new SchemaWorkBound(root).check();
        allowNull(root);
        if (!(root instanceof ObjectNode object)) {
            return compile(LATEST, root);
        }
        if (object.hasNonNull("$schema")) {
            return compileInDialect(object);
        }
        object.remove("$schema");
        adaptExclusiveBounds(object);
        return compile(hasListOfItems(object) ? WITH_LISTS_OF_ITEMS : LATEST, object);
    }

    private static Schema compileInDialect(ObjectNode root) {
        String uri = root.path("$schema").asText();
        String name = uri.replaceFirst("^https?://", "").replaceFirst("#$", "");
        if (!DIALECTS.contains(name)) {
            throw new SchemaException("$schema names an unknown dialect: '" + uri + "'");
        }
        if (name.equals(LATEST_NAME)) {
            root.remove("$schema");
        }
        return compile(LATEST, root);
    }

    private static boolean hasListOfItems(JsonNode schema) {
        return schema.path("items").isArray()
                || SchemaKeywords.subschemas(schema).stream().anyMatch(SchemaCompiler::hasListOfItems);
    }

    /** Replaces {@code minimum: 0, exclusiveMinimum: true} by {@code exclusiveMinimum: 0}, at all levels. */
    private static void adaptExclusiveBounds(JsonNode schema) {
        if (schema instanceof ObjectNode object) {
            adaptExclusiveBound(object, "minimum", "exclusiveMinimum");
            adaptExclusiveBound(object, "maximum", "exclusiveMaximum");
        }
        SchemaKeywords.subschemas(schema).forEach(SchemaCompiler::adaptExclusiveBounds);
    }

    private static void adaptExclusiveBound(ObjectNode schema, String bound, String exclusive) {
        if (schema.path(exclusive).isBoolean()) {
            boolean excluded = schema.remove(exclusive).booleanValue();
            if (excluded && schema.has(bound)) {
                schema.set(exclusive, schema.remove(bound));
            }
        }
    }

    private static JsonNode read(Json schema) {
        try {
            return JSON.readTree(schema.text());
        } catch (JsonProcessingException e) {
            throw new SchemaException("it is no JSON: " + e.getOriginalMessage());
        }
    }

    private static Schema compile(SchemaRegistry registry, JsonNode root) {
        try {
            Schema compiled = registry.getSchema(root);
            // Parts are compiled on first use otherwise; this finds references without a target.
            compiled.initializeValidators();
            return compiled;
        } catch (RuntimeException e) {
            throw new SchemaException(reason(e));
        }
    }

    private static String reason(RuntimeException failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof FileNotFoundException && !(failure instanceof InvalidSchemaException)) {
            return "the reference '" + cause.getMessage() + "' leads outside the schema";
        }
        String message =
                cause == null || failure instanceof InvalidSchemaException ? failure.getMessage() : cause.getMessage();
        return String.valueOf(message);
    }

    /** Adds null to schemas with {@code nullable: true}, at all levels. */
    private static void allowNull(JsonNode schema) {
        if (schema instanceof ObjectNode object && object.path("nullable").asBoolean(false)) {
            object.remove("nullable");
            addNull(object);
        }
        SchemaKeywords.subschemas(schema).forEach(SchemaCompiler::allowNull);
    }

    private static void addNull(ObjectNode object) {
        JsonNode type = object.path("type");
        if (type.isTextual()) {
            object.putArray("type").add(type.textValue()).add("null");
        } else if (type instanceof ArrayNode types) {
            types.add("null");
        } else if (COMBINATIONS.stream().anyMatch(object::has)) {
            ObjectNode combined = JSON.createObjectNode().setAll(object);
            object.retain(REFERENCED);
            combined.remove(REFERENCED);
            object.putArray("anyOf").add(combined).addObject().put("type", "null");
        }
        if (object.path("enum") instanceof ArrayNode values) {
            values.addNull();
        }
    }
}
