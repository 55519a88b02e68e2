package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.document.JsonOrYamlReader;
import org.sallyport.connector.document.UnreadableDocumentException;
import org.sallyport.tool.PlainText;

/**
 * An OpenAPI 3 document. Only references within the document are resolved. An instance serves one import, and is not
 * thread-safe.
 */
final class ImportedOpenApiDocument {
    private static final int MAX_REFERENCE_CHAIN = 20;
    /** Number of steps that bounds an import to a few seconds. */
    private static final long MAX_STEPS = 200_000_000;
    /** Number of characters of a reference that are read in the time of one step. */
    private static final int CHARS_PER_STEP = 8;

    private static final int MAX_TEXT_LENGTH = 1_000;

    private static final String REFERENCE = "$ref";
    private static final Pattern ANCHOR = Pattern.compile("#[A-Za-z_][A-Za-z0-9_.-]*");

    private final JsonNode root;
    private long stepsLeft;
    /** Found when the first reference needs them. */
    private @Nullable SchemaAnchors anchors;

    private ImportedOpenApiDocument(JsonNode root, long maxSteps) {
        this.root = root;
        this.stepsLeft = maxSteps;
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
        return of(root, MAX_STEPS);
    }

    /** @param maxSteps maximum number of steps of {@link #countSteps} */
    static ImportedOpenApiDocument of(JsonNode root, long maxSteps) {
        return new ImportedOpenApiDocument(root, maxSteps);
    }

    /** Parses JSON or YAML. */
    static ImportedOpenApiDocument parse(String text) {
        try {
            return of(JsonOrYamlReader.read(text));
        } catch (UnreadableDocumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    JsonNode root() {
        return root;
    }

    /**
     * Counts work that a document can multiply by references. Throws {@link InvalidBackendException} if it becomes too
     * much, so that no document occupies the service.
     */
    void countSteps(long steps) {
        stepsLeft -= steps;
        if (stepsLeft < 0) {
            throw invalid(
                    "takes too much work to be read completely; name the operations that are wanted in" + " 'include'");
        }
    }

    /** Whether members beside {@code $ref} count. They do from version 3.1, whose schemas are JSON Schemas. */
    boolean readsMembersBesideReferences() {
        return !root.path("openapi").asText().startsWith("3.0");
    }

    /** Returns a security scheme; missing if there is none with this name. */
    JsonNode securityScheme(String name) {
        return resolve(root.path("components").path("securitySchemes").path(name));
    }

    /**
     * Returns the target of a reference such as {@code #/components/schemas/Pet}, or from version 3.1 of the name of an
     * anchor such as {@code #pet}.
     */
    JsonNode resolveReference(String reference) {
        countSteps(reference.length() / CHARS_PER_STEP);
        if (ANCHOR.matcher(reference).matches() && readsMembersBesideReferences()) {
            return anchors().find(reference.substring(1));
        }
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

    private SchemaAnchors anchors() {
        SchemaAnchors known = anchors;
        if (known == null) {
            known = new SchemaAnchors(root);
            anchors = known;
        }
        return known;
    }

    /** Returns the node itself, or the target of its reference. */
    JsonNode resolve(JsonNode node) {
        return resolve(node, false);
    }

    /**
     * Returns the schema itself, or the target of its reference. If members beside the reference count, they are
     * returned, with the reference as a part of {@code allOf}.
     */
    JsonNode resolveSchema(JsonNode schema) {
        return resolve(schema, readsMembersBesideReferences());
    }

    private JsonNode resolve(JsonNode node, boolean withMembers) {
        JsonNode result = node;
        countSteps(1);
        for (int followed = 0; result.path(REFERENCE).isTextual(); followed++) {
            if (followed == MAX_REFERENCE_CHAIN) {
                throw invalid("has a reference that leads to itself: '"
                        + abbreviate(node.path(REFERENCE).textValue()) + "'");
            }
            if (withMembers && result.size() > 1) {
                countSteps(result.size() + result.path("allOf").size());
                return withReferenceAsPart(result);
            }
            result = resolveReference(result.path(REFERENCE).textValue());
        }
        return result;
    }

    private static ObjectNode withReferenceAsPart(JsonNode schema) {
        ObjectNode whole = JsonNodeFactory.instance.objectNode();
        schema.properties().forEach(member -> whole.set(member.getKey(), member.getValue()));
        ArrayNode parts = JsonNodeFactory.instance.arrayNode();
        parts.addObject().set(REFERENCE, whole.remove(REFERENCE));
        schema.path("allOf").forEach(parts::add);
        whole.set("allOf", parts);
        return whole;
    }

    /** Returns a path with the members of its target, of which its own take precedence. */
    JsonNode resolvePath(JsonNode path) {
        JsonNode target = resolve(path);
        if (!path.has(REFERENCE) || path.size() == 1 || !target.isObject()) {
            return target;
        }
        countSteps(target.size() + path.size());
        ObjectNode whole = JsonNodeFactory.instance.objectNode();
        target.properties().forEach(member -> whole.set(member.getKey(), member.getValue()));
        path.properties().forEach(member -> whole.set(member.getKey(), member.getValue()));
        return whole;
    }

    static InvalidBackendException invalid(String reason) {
        return new InvalidBackendException("settings.openapi", "the document " + reason);
    }

    /** Returns the beginning of a text of the document, with its lines. */
    static String truncate(String text) {
        return text.length() > MAX_TEXT_LENGTH ? PlainText.truncate(text, MAX_TEXT_LENGTH) + "…" : text;
    }

    /** Returns the beginning of a name of the document, in one line. */
    static String abbreviate(String text) {
        return PlainText.singleLine(text, 120);
    }
}
