package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.connector.BackendSettings;
import org.sallyport.tool.Json;

/**
 * The form of the results of an operation: the body of the response, or {@code {status, headers, body}}.
 *
 * @param full whether results have status and headers
 * @param headers names in lower case of further headers to show in results and errors
 */
record ResponseFormat(boolean full, Set<String> headers) {
    /** The body alone. */
    static final ResponseFormat BODY = new ResponseFormat(false, Set.of());

    private static final int MAX_HEADER_CHARS = 16_384;
    private static final int MAX_EXCERPT_CHARS = 2_000;
    private static final String BODY_POINTER = "#/properties/body/anyOf/0";
    /** Keywords whose values are data. */
    private static final Set<String> DATA_KEYWORDS = Set.of("const", "enum", "default", "examples", "example");
    /** Keywords whose values are schemas by name. */
    private static final Set<String> SCHEMA_MAPS =
            Set.of("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies");

    private static final String RESPONSE = "response";
    private static final String RESPONSE_HEADERS = "responseHeaders";
    private static final Set<String> STANDARD_HEADERS = Set.of(
            "allow",
            "content-disposition",
            "content-length",
            "content-location",
            "content-range",
            "content-type",
            "etag",
            "last-modified",
            "link",
            "location",
            "retry-after",
            "www-authenticate",
            "x-request-id",
            "x-total-count");

    ResponseFormat {
        headers = Set.copyOf(headers);
    }

    /** Reads {@code response} and {@code responseHeaders}; what is not set is as in {@code standard}. */
    static ResponseFormat of(BackendSettings settings, ResponseFormat standard) {
        Set<String> headers = new TreeSet<>(standard.headers());
        settings.textList(RESPONSE_HEADERS).forEach(name -> headers.add(name.toLowerCase(Locale.ROOT)));
        Optional<String> form = settings.optionalText(RESPONSE);
        if (form.isPresent() && !Set.of("body", "full").contains(form.get())) {
            throw settings.invalid(RESPONSE, "must be 'body' or 'full'");
        }
        return new ResponseFormat(form.map("full"::equals).orElse(standard.full()), headers);
    }

    /** Returns the headers that are shown, by their names in lower case; empty if they are too long together. */
    Optional<ObjectNode> shownHeaders(GuardedHttpClient.GuardedHttpResponse response) {
        ObjectNode shown = JsonNodeFactory.instance.objectNode();
        int length = 0;
        for (Map.Entry<String, String> header : response.headers().entrySet()) {
            if (isShown(header.getKey())) {
                length += header.getKey().length() + header.getValue().length();
                shown.put(header.getKey(), header.getValue());
            }
        }
        return length > MAX_HEADER_CHARS ? Optional.empty() : Optional.of(shown);
    }

    /** Returns the shown headers for an error: long values are cut, and there are no more of them than may be shown. */
    ObjectNode headerExcerpt(GuardedHttpClient.GuardedHttpResponse response) {
        ObjectNode shown = JsonNodeFactory.instance.objectNode();
        int length = 0;
        for (Map.Entry<String, String> header : response.headers().entrySet()) {
            String value = header.getValue().length() > MAX_EXCERPT_CHARS
                    ? header.getValue().substring(0, MAX_EXCERPT_CHARS) + "…"
                    : header.getValue();
            if (isShown(header.getKey())) {
                length += header.getKey().length() + value.length();
                if (length > MAX_HEADER_CHARS) {
                    return shown;
                }
                shown.put(header.getKey(), value);
            }
        }
        return shown;
    }

    private boolean isShown(String name) {
        return STANDARD_HEADERS.contains(name)
                || name.startsWith("ratelimit")
                || name.startsWith("x-ratelimit-")
                || headers.contains(name);
    }

    /**
     * Returns the schema of results.
     *
     * @param bodySchema the schema of the body, where it is known
     */
    Optional<Json> resultSchema(Optional<Json> bodySchema) {
        return full ? Optional.of(fullSchema(bodySchema)) : bodySchema;
    }

    private static Json fullSchema(Optional<Json> bodySchema) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        properties.putObject("status").put("type", "integer");
        properties
                .putObject("headers")
                .put("type", "object")
                .putObject("additionalProperties")
                .put("type", "string");
        ObjectNode body = properties.putObject("body");
        schema.putArray("required").add("status").add("headers").add("body");
        bodySchema.ifPresent(declared -> {
            if (tree(declared) instanceof ObjectNode object) {
                JsonNode dialect = object.remove("$schema");
                if (dialect != null) {
                    schema.set("$schema", dialect);
                }
                moveReferences(object, false);
                body.putArray("anyOf").add(object).addObject().put("type", "null");
            }
        });
        return new Json(schema.toString());
    }

    /**
     * Changes references to the root of the schema, which becomes a part of another one. A schema with an {@code $id}
     * is a root of its own.
     *
     * @param map whether {@code node} has schemas by name
     */
    private static void moveReferences(JsonNode node, boolean map) {
        if (node instanceof ObjectNode object && (map || !isOwnRoot(object))) {
            object.properties().forEach(entry -> {
                JsonNode value = entry.getValue();
                if (!map && entry.getKey().equals("$ref") && isWithinRoot(value.asText())) {
                    entry.setValue(
                            TextNode.valueOf(BODY_POINTER + value.textValue().substring(1)));
                } else if (map || !DATA_KEYWORDS.contains(entry.getKey())) {
                    moveReferences(value, !map && SCHEMA_MAPS.contains(entry.getKey()));
                }
            });
        } else if (node.isArray()) {
            node.forEach(item -> moveReferences(item, false));
        }
    }

    private static boolean isOwnRoot(ObjectNode schema) {
        return schema.path("$id").isTextual() && !schema.path("$id").textValue().startsWith("#");
    }

    /** Whether a reference is {@code #} or a JSON pointer. The name of an anchor stays as it is. */
    private static boolean isWithinRoot(String reference) {
        return reference.equals("#") || reference.startsWith("#/");
    }

    private static JsonNode tree(Json schema) {
        try {
            return ExactJsonMapper.read(schema.text());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
