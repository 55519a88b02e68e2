package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.document.JsonOrYamlReader;
import org.sallyport.connector.document.UnreadableDocumentException;
import org.sallyport.tool.PlainText;

/** An OpenAPI 3 document. Only references within the document are resolved. Immutable. */
final class ImportedOpenApiDocument {
    private static final int MAX_REFERENCE_CHAIN = 20;

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
            return new ImportedOpenApiDocument(JsonOrYamlReader.read(text));
        } catch (UnreadableDocumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    JsonNode root() {
        return root;
    }

    /** Whether members beside {@code $ref} count. They do from version 3.1, whose schemas are JSON Schemas. */
    boolean readsMembersBesideReferences() {
        return !root.path("openapi").asText().startsWith("3.0");
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
