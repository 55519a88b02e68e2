package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads how request bodies of a document are sent, and the schemas of the arguments that they are made of. */
final class OpenApiBodyReader {
    private final ImportedOpenApiDocument document;
    private final OpenApiFileSchemas files;

    OpenApiBodyReader(ImportedOpenApiDocument document) {
        this.document = document;
        this.files = new OpenApiFileSchemas(document);
    }

    /**
     * A media type that can be sent.
     *
     * @param schema the declared schema of its content
     */
    record DeclaredBody(BodyFormat format, JsonNode schema) {}

    /**
     * Chooses one of the declared media types: a multipart form with files, which the others cannot carry, then
     * {@code application/json}, other JSON, forms, texts, bytes; of several, the first. Empty if none can be sent.
     */
    Optional<DeclaredBody> choose(JsonNode content) {
        document.countSteps(content.size());
        return content.properties().stream()
                .flatMap(entry -> declaredBody(entry.getKey(), entry.getValue()).stream())
                .min(Comparator.comparingInt(OpenApiBodyReader::rank));
    }

    private Optional<DeclaredBody> declaredBody(String mediaType, JsonNode declared) {
        JsonNode schema = declared.path("schema");
        Optional<BodyFormat> format = BodyFormat.isUniversal(BodyFormat.essence(mediaType)) && files.isFile(schema)
                ? Optional.of(BodyFormat.ofAnyBytes())
                : BodyFormat.of(mediaType, parts(declared));
        return format.map(found -> new DeclaredBody(found, schema));
    }

    private static int rank(DeclaredBody body) {
        return switch (body.format().kind()) {
            case JSON -> body.format().isPlainJson() ? 1 : 2;
            case FORM -> 3;
            case MULTIPART -> body.format().parts().values().stream().anyMatch(BodyFormat.PartFormat::file) ? 0 : 4;
            case TEXT -> 5;
            case BYTES -> 6;
        };
    }

    private Map<String, BodyFormat.PartFormat> parts(JsonNode mediaType) {
        Map<String, BodyFormat.PartFormat> parts = new LinkedHashMap<>();
        files.properties(mediaType.path("schema")).forEach((name, schema) -> {
            if (files.isFile(schema)) {
                parts.put(name, new BodyFormat.PartFormat(Optional.empty(), Optional.empty(), true));
            }
        });
        mediaType.path("encoding").properties().forEach(entry -> {
            JsonNode encoding = entry.getValue();
            boolean file = parts.containsKey(entry.getKey());
            parts.put(
                    entry.getKey(),
                    new BodyFormat.PartFormat(
                            style(encoding),
                            Optional.of(encoding.path("contentType").asText())
                                    .filter(type -> BodyFormat.isMediaType(type) && type.indexOf('*') < 0),
                            file));
        });
        return parts;
    }

    /** A style that is not declared leaves the encoding to the media type of the member. */
    private static Optional<ArgumentFormat> style(JsonNode encoding) {
        boolean declared = encoding.has("style") || encoding.has("explode") || encoding.has("allowReserved");
        return declared
                ? ParameterStyle.of(encoding.path("style").asText("form"))
                        .map(style -> new ArgumentFormat(
                                style,
                                encoding.path("explode").asBoolean(style == ParameterStyle.FORM),
                                encoding.path("allowReserved").asBoolean(false)))
                : Optional.empty();
    }

    /**
     * Returns the schema of the argument.
     *
     * @param conversion converts the declared schema
     */
    JsonNode argumentSchema(DeclaredBody body, UnaryOperator<JsonNode> conversion) {
        return switch (body.format().kind()) {
            case JSON, FORM -> conversion.apply(body.schema());
            case MULTIPART -> files.formSchema(body.schema(), conversion);
            case TEXT -> textSchema(body, conversion);
            case BYTES ->
                OpenApiFileSchemas.bytesSchema("the body, as " + body.format().contentType());
        };
    }

    /** A text cannot be checked by the schema of the data that it contains, such as XML. */
    private JsonNode textSchema(DeclaredBody body, UnaryOperator<JsonNode> conversion) {
        String meaning = "the text of the body, as " + body.format().contentType();
        if (files.isFile(body.schema())) {
            return OpenApiFileSchemas.bytesSchema(meaning);
        }
        return document.resolve(body.schema()).path("type").asText().equals("string")
                ? conversion.apply(body.schema())
                : JsonNodeFactory.instance.objectNode().put("type", "string").put("description", meaning);
    }
}
