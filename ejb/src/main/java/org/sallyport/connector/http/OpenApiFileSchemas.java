package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Finds the files in schemas of a document, also behind references, in lists and in {@code allOf}, {@code anyOf} and
 * {@code oneOf}, and returns schemas that accept files there. Of schemas with many parts, only the first are searched.
 * Not thread-safe.
 */
final class OpenApiFileSchemas {
    private static final int MAX_PARTS = 50;
    private static final int MAX_DEPTH = 8;
    private static final int MAX_CACHED = 100_000;
    private static final List<String> COMBINATIONS = List.of("allOf", "anyOf", "oneOf");

    private final ImportedOpenApiDocument document;
    private final Map<JsonNode, Boolean> files = new IdentityHashMap<>();
    private final Map<JsonNode, Boolean> forms = new IdentityHashMap<>();

    OpenApiFileSchemas(ImportedOpenApiDocument document) {
        this.document = document;
    }

    /** Whether a schema describes bytes, or a list of bytes, as one of its alternatives. */
    boolean isFile(JsonNode declared) {
        return find(files, declared, this::containsBytes);
    }

    /** @param cache results by declared schemas; a resolved schema may be a copy, which is never found again */
    private static boolean find(Map<JsonNode, Boolean> cache, JsonNode declared, Predicate<JsonNode> test) {
        if (cache.size() >= MAX_CACHED) {
            cache.clear();
        }
        return cache.computeIfAbsent(declared, test::test);
    }

    private boolean containsBytes(JsonNode declared) {
        Deque<JsonNode> open = new ArrayDeque<>(List.of(declared));
        for (int seen = 0; seen < MAX_PARTS && !open.isEmpty(); seen++) {
            JsonNode schema = document.resolveSchema(open.remove());
            if (isBinary(schema)) {
                return true;
            }
            if (schema.path("items").isObject()) {
                open.add(schema.path("items"));
            }
            addCombinedSchemas(open, schema);
        }
        return false;
    }

    private static void addCombinedSchemas(Deque<JsonNode> open, JsonNode schema) {
        for (String keyword : COMBINATIONS) {
            for (JsonNode part : schema.path(keyword)) {
                if (open.size() >= MAX_PARTS) {
                    return;
                }
                open.add(part);
            }
        }
    }

    private static boolean isBinary(JsonNode schema) {
        String mediaType = BodyFormat.essence(schema.path("contentMediaType").asText());
        return schema.path("format").asText().equals("binary")
                || (!mediaType.isEmpty()
                        && !schema.has("contentEncoding")
                        && !BodyFormat.isJson(mediaType)
                        && !BodyFormat.isText(mediaType));
    }

    /** Returns the properties of an object, with those of its combined schemas. */
    Map<String, JsonNode> properties(JsonNode declared) {
        Map<String, JsonNode> properties = new LinkedHashMap<>();
        Deque<JsonNode> open = new ArrayDeque<>(List.of(declared));
        for (int seen = 0; seen < MAX_PARTS && !open.isEmpty(); seen++) {
            JsonNode schema = document.resolveSchema(open.remove());
            document.countSteps(schema.path("properties").size());
            schema.path("properties")
                    .properties()
                    .forEach(entry -> properties.putIfAbsent(entry.getKey(), entry.getValue()));
            addCombinedSchemas(open, schema);
        }
        return properties;
    }

    private boolean hasFile(JsonNode form) {
        return find(
                forms, form, declared -> properties(declared).values().stream().anyMatch(this::isFile));
    }

    /**
     * Returns the schema of a form, which accepts files in its properties.
     *
     * @param conversion converts a declared schema
     */
    JsonNode formSchema(JsonNode declared, UnaryOperator<JsonNode> conversion) {
        return formSchema(declared, conversion, 0);
    }

    private JsonNode formSchema(JsonNode declared, UnaryOperator<JsonNode> conversion, int depth) {
        JsonNode schema = withoutNullable(document.resolveSchema(declared));
        JsonNode converted = conversion.apply(schema);
        if (converted.path("properties") instanceof ObjectNode properties) {
            schema.path("properties").properties().forEach(property -> {
                if (isFile(property.getValue())) {
                    properties.set(property.getKey(), fileSchema(property.getValue(), conversion, depth));
                }
            });
        }
        for (String keyword : COMBINATIONS) {
            if (depth < MAX_DEPTH && converted.path(keyword) instanceof ArrayNode parts) {
                for (int i = 0; i < parts.size(); i++) {
                    JsonNode part = schema.path(keyword).path(i);
                    if (hasFile(part)) {
                        parts.set(i, formSchema(part, conversion, depth + 1));
                    }
                }
            }
        }
        return converted;
    }

    /** Returns the schema of an argument that is a file, or a list or an alternative with files. */
    private JsonNode fileSchema(JsonNode declared, UnaryOperator<JsonNode> conversion, int depth) {
        JsonNode schema = document.resolveSchema(declared);
        if (isBinary(schema) || depth > MAX_DEPTH) {
            return bytesSchema(schema);
        }
        if (isNullable(schema)) {
            JsonNode file = fileSchema(withoutNullable(schema), conversion, depth + 1);
            return file instanceof ObjectNode object ? OpenApiKeywordAdapter.withNull(object) : file;
        }
        if (!(conversion.apply(schema) instanceof ObjectNode converted)) {
            return bytesSchema(schema);
        }
        if (converted.has("items") && isFile(schema.path("items"))) {
            converted.set("items", fileSchema(schema.path("items"), conversion, depth + 1));
        }
        boolean changed = false;
        for (String keyword : COMBINATIONS) {
            if (converted.path(keyword) instanceof ArrayNode parts) {
                for (int i = 0; i < parts.size(); i++) {
                    JsonNode part = schema.path(keyword).path(i);
                    if (isFile(part)) {
                        parts.set(i, fileSchema(part, conversion, depth + 1));
                        changed = true;
                    }
                }
            }
        }
        if (changed) {
            // A file is an object or a text, so that the type text does not hold, and two of oneOf may match.
            converted.remove(List.of("type", "format"));
            if (converted.path("oneOf") instanceof ArrayNode alternatives && !converted.has("anyOf")) {
                converted.remove("oneOf");
                converted.set("anyOf", alternatives);
            }
        }
        return converted;
    }

    private static boolean isNullable(JsonNode schema) {
        return schema.path("nullable").asBoolean(false);
    }

    /** Returns the schema without the keyword, whose conversion would move the other keywords. */
    private static JsonNode withoutNullable(JsonNode schema) {
        if (!isNullable(schema)) {
            return schema;
        }
        ObjectNode plain = JsonNodeFactory.instance.objectNode();
        schema.properties().forEach(member -> plain.set(member.getKey(), member.getValue()));
        plain.remove("nullable");
        return plain;
    }

    private static ObjectNode bytesSchema(JsonNode declared) {
        ObjectNode schema = bytesSchema("a file");
        boolean nullable = isNullable(declared);
        for (JsonNode type : declared.path("type")) {
            nullable |= type.asText().equals("null");
        }
        if (nullable) {
            schema.withArray("anyOf").addObject().put("type", "null");
        }
        return schema;
    }

    /**
     * Returns the schema of bytes, in the forms of {@link FileArgument}.
     *
     * @param meaning begins the description
     */
    static ObjectNode bytesSchema(String meaning) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        ArrayNode forms = schema.putArray("anyOf");
        forms.addObject().put("type", "string");
        ObjectNode object = forms.addObject().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = object.putObject("properties");
        for (String member : new String[] {"$base64", "base64", "contentType", "type", "filename"}) {
            properties.putObject(member).put("type", "string");
        }
        properties.putObject("content");
        return schema.put(
                "description",
                meaning + ": a Uint8Array, an object such as {content: bytes, type: 'image/png', filename: 'a.png'},"
                        + " or a text, which is sent in UTF-8");
    }
}
