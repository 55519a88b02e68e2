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
 * as 2020-12; if it is none, as 2019-09 (lists in {@code items}), then as draft 4 (bounds that are true or false).
 * {@code nullable: true} allows null, as in OpenAPI 3.0. A schema cannot refer to anything outside itself: no file, no
 * network.
 */
final class SchemaCompiler {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SchemaRegistry LATEST = registry(SpecificationVersion.DRAFT_2020_12);

    /** The dialects of schemas that do not name theirs, the first one that fits. */
    private static final List<SchemaRegistry> DIALECTS =
            List.of(LATEST, registry(SpecificationVersion.DRAFT_2019_09), registry(SpecificationVersion.DRAFT_4));

    /** Names of "the latest version". */
    private static final Set<String> LATEST_NAMES =
            Set.of("http://json-schema.org/schema", "https://json-schema.org/schema");

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
        if (!object.hasNonNull("$schema")) {
            object.remove("$schema");
            return compileWithoutDialect(object);
        }
        if (LATEST_NAMES.contains(withoutEmptyFragment(object.path("$schema").asText()))) {
            object.remove("$schema");
        }
        return compile(LATEST, object);
    }

    private static JsonNode read(Json schema) {
        try {
            return JSON.readTree(schema.text());
        } catch (JsonProcessingException e) {
            throw new SchemaException("it is no JSON: " + e.getOriginalMessage());
        }
    }

    private static String withoutEmptyFragment(String uri) {
        return uri.endsWith("#") ? uri.substring(0, uri.length() - 1) : uri;
    }

    private static Schema compileWithoutDialect(JsonNode root) {
        SchemaException latestFailure = null;
        for (SchemaRegistry registry : DIALECTS) {
            try {
                return compile(registry, root);
            } catch (SchemaException e) {
                latestFailure = latestFailure == null ? e : latestFailure;
            }
        }
        throw latestFailure == null ? new SchemaException("there is no dialect") : latestFailure;
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
        String message = cause == null || failure instanceof InvalidSchemaException
                ? failure.getMessage()
                : cause.getMessage();
        return String.valueOf(message).replace("Failed to load dialect", "$schema names an unknown dialect:");
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
        } else if (COMBINATIONS.stream().anyMatch(object::has) && !object.has("$schema")) {
            ObjectNode combined = JSON.createObjectNode().setAll(object);
            ArrayNode either = object.removeAll().putArray("anyOf");
            either.add(combined).addObject().put("type", "null");
        }
        if (object.path("enum") instanceof ArrayNode values) {
            values.addNull();
        }
    }
}
