package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
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

    /** Returns the headers that are shown, by their names in lower case. */
    ObjectNode shownHeaders(GuardedHttpClient.GuardedHttpResponse response) {
        ObjectNode shown = JsonNodeFactory.instance.objectNode();
        response.headers().forEach((name, value) -> {
            if (STANDARD_HEADERS.contains(name)
                    || name.startsWith("ratelimit")
                    || name.startsWith("x-ratelimit-")
                    || headers.contains(name)) {
                shown.put(name, value);
            }
        });
        return shown;
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
                for (String definitions : new String[] {"$defs", "definitions", "$schema"}) {
                    JsonNode moved = object.remove(definitions);
                    if (moved != null) {
                        schema.set(definitions, moved);
                    }
                }
                body.putArray("anyOf").add(object).addObject().put("type", "null");
            }
        });
        return new Json(schema.toString());
    }

    private static JsonNode tree(Json schema) {
        try {
            return ExactJsonMapper.INSTANCE.readTree(schema.text());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
