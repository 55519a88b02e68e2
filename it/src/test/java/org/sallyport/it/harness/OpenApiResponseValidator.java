package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialects;
import java.util.List;
import java.util.Locale;

/** Validates responses against the OpenAPI document of a server. */
public final class OpenApiResponseValidator {
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDefaultDialect(
            Dialects.getOpenApi30(),
            builder -> builder.schemaRegistryConfig(
                    SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));

    private final JsonNode document;

    private OpenApiResponseValidator(JsonNode document) {
        this.document = document;
    }

    /** Fetches the document. */
    public static OpenApiResponseValidator of(RestClient api) {
        RestResponse answer = api.send(api.request("/openapi").header("Accept", "application/json"))
                .expectStatus(200);
        return new OpenApiResponseValidator(answer.json());
    }

    /**
     * Returns the violations of a response, empty if it is valid.
     *
     * @param method method of the request
     * @param path path of the request with the names of its variables, such as {@code /api/v1/executions/{id}}
     */
    public List<String> validate(String method, String path, RestResponse answer) {
        JsonNode response = resolveReference(document.path("paths")
                .path(path)
                .path(method.toLowerCase(Locale.ROOT))
                .path("responses")
                .path(Integer.toString(answer.status())));
        if (response.isMissingNode()) {
            return List.of(method + " " + path + " is not said to answer " + answer.status());
        }
        String type = answer.header("Content-Type").replaceAll("\\s*;.*", "");
        if (type.isEmpty() && answer.text().isEmpty() && !response.has("content")) {
            return List.of();
        }
        JsonNode content = response.path("content").path(type);
        if (content.isMissingNode()) {
            return List.of(method + " " + path + " is not said to answer " + answer.status() + " as '" + type + "'");
        }
        ObjectNode root = TestJson.object();
        root.putArray("allOf").add(content.path("schema"));
        root.set("components", document.path("components"));
        return REGISTRY.getSchema(root).validate(answer.json()).stream()
                .map(Error::toString)
                .toList();
    }

    private JsonNode resolveReference(JsonNode node) {
        String reference = node.path("$ref").asText();
        return reference.isEmpty() ? node : document.at(reference.substring(1));
    }
}
