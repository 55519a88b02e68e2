package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads how the request body of an OpenAPI operation is sent, and the schema of the argument that it is made of. */
final class OpenApiBodyReader {
    private final ImportedOpenApiDocument document;

    OpenApiBodyReader(ImportedOpenApiDocument document) {
        this.document = document;
    }

    /**
     * A media type that can be sent.
     *
     * @param schema the declared schema of its content
     */
    record DeclaredBody(BodyFormat format, JsonNode schema) {}

    /**
     * Chooses one of the declared media types: {@code application/json}, then other JSON, forms, texts, bytes; of
     * several, the first. Empty if none can be sent.
     */
    Optional<DeclaredBody> choose(JsonNode content) {
        return content.properties().stream()
                .flatMap(entry -> BodyFormat.of(entry.getKey(), parts(entry.getValue()))
                        .map(format -> new DeclaredBody(format, entry.getValue().path("schema")))
                        .stream())
                .min(Comparator.comparingInt(OpenApiBodyReader::rank));
    }

    private static int rank(DeclaredBody body) {
        return switch (body.format().kind()) {
            case JSON -> BodyFormat.essence(body.format().contentType()).equals(BodyFormat.JSON.contentType()) ? 0 : 1;
            case FORM -> 2;
            case MULTIPART -> 3;
            case TEXT -> 4;
            case BYTES -> 5;
        };
    }

    private Map<String, BodyFormat.PartFormat> parts(JsonNode mediaType) {
        Map<String, BodyFormat.PartFormat> parts = new LinkedHashMap<>();
        properties(mediaType.path("schema")).properties().forEach(entry -> {
            if (isFile(entry.getValue())) {
                parts.put(entry.getKey(), new BodyFormat.PartFormat(Optional.empty(), Optional.empty(), true));
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

    private JsonNode properties(JsonNode schema) {
        return document.resolve(schema).path("properties");
    }

    /** Whether a schema describes bytes, or a list of bytes. */
    private boolean isFile(JsonNode declared) {
        JsonNode schema = document.resolve(declared);
        JsonNode item = schema.path("items").isObject() ? document.resolve(schema.path("items")) : schema;
        return item.path("format").asText().equals("binary")
                || (item.has("contentMediaType") && !item.has("contentEncoding"));
    }

    /**
     * Returns the schema of the argument.
     *
     * @param conversion converts the declared schema
     */
    JsonNode argumentSchema(DeclaredBody body, UnaryOperator<JsonNode> conversion) {
        return switch (body.format().kind()) {
            case JSON, FORM -> conversion.apply(body.schema());
            case MULTIPART -> multipartSchema(body, conversion);
            case TEXT -> textSchema(body, conversion);
            case BYTES -> fileSchema("the body, as " + body.format().contentType());
        };
    }

    private JsonNode multipartSchema(DeclaredBody body, UnaryOperator<JsonNode> conversion) {
        JsonNode converted = conversion.apply(document.resolve(body.schema()));
        JsonNode declared = properties(body.schema());
        if (converted.path("properties") instanceof ObjectNode properties) {
            body.format().parts().forEach((name, part) -> {
                if (part.file() && properties.has(name)) {
                    boolean list =
                            document.resolve(declared.path(name)).path("items").isObject();
                    ObjectNode file = fileSchema("a file");
                    properties.set(
                            name,
                            list
                                    ? JsonNodeFactory.instance
                                            .objectNode()
                                            .put("type", "array")
                                            .set("items", file)
                                    : file);
                }
            });
        }
        return converted;
    }

    /** A text cannot be checked by the schema of the data that it contains, such as XML. */
    private JsonNode textSchema(DeclaredBody body, UnaryOperator<JsonNode> conversion) {
        return document.resolve(body.schema()).path("type").asText().equals("string")
                ? conversion.apply(body.schema())
                : JsonNodeFactory.instance
                        .objectNode()
                        .put("type", "string")
                        .put(
                                "description",
                                "the text of the body, as " + body.format().contentType());
    }

    private static ObjectNode fileSchema(String meaning) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        ArrayNode forms = schema.putArray("anyOf");
        forms.addObject().put("type", "string");
        ObjectNode properties = forms.addObject().put("type", "object").putObject("properties");
        for (String member : new String[] {"$base64", "type", "filename"}) {
            properties.putObject(member).put("type", "string");
        }
        properties.putObject("content");
        return schema.put(
                "description",
                meaning + ": a Uint8Array, an object such as {content: bytes, type: 'image/png', filename: 'a.png'},"
                        + " or a text, which is sent in UTF-8");
    }
}
