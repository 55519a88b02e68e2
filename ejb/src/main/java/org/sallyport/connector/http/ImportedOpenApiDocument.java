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
import org.sallyport.tool.PlainText;

/** An OpenAPI 3 document. Only references within the document are resolved. Immutable. */
final class ImportedOpenApiDocument {
    private static final int MAX_REFERENCE_CHAIN = 20;
    private static final int MAX_DEPTH = 200;
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private final JsonNode root;

    private ImportedOpenApiDocument(JsonNode root) {
        this.root = root;
        String version = root.path("openapi").asText();
        if (!version.startsWith("3.")) {
            throw invalid(
                    root.has("swagger")
                            ? "is of version " + root.path("swagger").asText() + "; only OpenAPI 3 is supported"
                            : "is no OpenAPI 3 document: it has no member 'openapi'");
        }
        if (!root.path("paths").isObject()) {
            throw invalid("has no 'paths'");
        }
    }

    static ImportedOpenApiDocument of(JsonNode root) {
        return new ImportedOpenApiDocument(root);
    }

    /** Parses JSON or YAML. */
    static ImportedOpenApiDocument parse(String text) {
        try {
            JsonNode root = text.stripLeading().startsWith("{\"") ? JSON.readTree(text) : YAML.readTree(text);
            return new ImportedOpenApiDocument(root == null ? YAML.createObjectNode() : root);
        } catch (JsonProcessingException e) {
            throw invalid("is neither JSON nor YAML, or is nested deeper than " + MAX_DEPTH + " levels");
        }
    }

    JsonNode root() {
        return root;
    }

    /** Returns the target of a reference such as {@code #/components/schemas/Pet}. */
    JsonNode resolveReference(String reference) {
        if (!reference.startsWith("#/")) {
            throw invalid("refers to '" + abbreviate(reference) + "', which is outside the document");
        }
        JsonNode found;
        try {
            found = root.at(JsonPointer.compile(
                    URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            throw invalid("has a reference that cannot be read: '" + abbreviate(reference) + "'");
        }
        if (found.isMissingNode()) {
            throw invalid("refers to '" + abbreviate(reference) + "', which does not exist");
        }
        return found;
    }

    /** Returns the node itself, or the target of its reference. */
    JsonNode resolve(JsonNode node) {
        JsonNode result = node;
        for (int steps = 0; result.path("$ref").isTextual(); steps++) {
            if (steps == MAX_REFERENCE_CHAIN) {
                throw invalid("has a reference that leads to itself: '"
                        + abbreviate(node.path("$ref").textValue()) + "'");
            }
            result = resolveReference(result.path("$ref").textValue());
        }
        return result;
    }

    static InvalidBackendException invalid(String reason) {
        return new InvalidBackendException("settings.openapi", "the document " + reason);
    }

    static String abbreviate(String text) {
        return PlainText.singleLine(text, 120);
    }
}
