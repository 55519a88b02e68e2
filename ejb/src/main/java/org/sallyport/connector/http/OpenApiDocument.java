package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.sallyport.connector.InvalidBackendException;

/** An OpenAPI 3 document. References lead nowhere but within it. Immutable. */
final class OpenApiDocument {
    private static final int LONGEST_CHAIN = 20;
    private static final int DEEPEST = 200;
    private static final ObjectMapper READER = new ObjectMapper(YAMLFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private static final ObjectMapper PLAIN = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private final JsonNode root;

    private OpenApiDocument(JsonNode root) {
        this.root = root;
        String version = root.path("openapi").asText();
        if (!version.startsWith("3.")) {
            throw fault(
                    root.has("swagger")
                            ? "is of version " + root.path("swagger").asText() + "; only OpenAPI 3 is read"
                            : "is no OpenAPI 3 document: it has no member 'openapi'");
        }
        if (!root.path("paths").isObject()) {
            throw fault("has no 'paths'");
        }
    }

    static OpenApiDocument of(JsonNode root) {
        return new OpenApiDocument(root);
    }

    /** Reads JSON or YAML. */
    static OpenApiDocument parse(String text) {
        try {
            JsonNode root = text.stripLeading().startsWith("{\"") ? PLAIN.readTree(text) : READER.readTree(text);
            return new OpenApiDocument(root == null ? READER.createObjectNode() : root);
        } catch (JsonProcessingException e) {
            throw fault("is neither JSON nor YAML, or is nested deeper than " + DEEPEST + " levels");
        }
    }

    JsonNode root() {
        return root;
    }

    /** What a reference such as {@code #/components/schemas/Pet} leads to. */
    JsonNode at(String reference) {
        if (!reference.startsWith("#/")) {
            throw fault("refers to '" + shown(reference) + "', which is not within it");
        }
        JsonNode found;
        try {
            found = root.at(JsonPointer.compile(
                    URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            throw fault("has a reference that cannot be read: '" + shown(reference) + "'");
        }
        if (found.isMissingNode()) {
            throw fault("refers to '" + shown(reference) + "', which is not there");
        }
        return found;
    }

    /** The node itself, or what it refers to. */
    JsonNode resolved(JsonNode node) {
        JsonNode result = node;
        for (int steps = 0; result.path("$ref").isTextual(); steps++) {
            if (steps == LONGEST_CHAIN) {
                throw fault("has a reference that leads to itself: '"
                        + shown(node.path("$ref").textValue()) + "'");
            }
            result = at(result.path("$ref").textValue());
        }
        return result;
    }

    static InvalidBackendException fault(String reason) {
        return new InvalidBackendException("settings.openapi", "the document " + reason);
    }

    static String shown(String text) {
        return text.length() > 120 ? text.substring(0, 120) + "…" : text;
    }
}
