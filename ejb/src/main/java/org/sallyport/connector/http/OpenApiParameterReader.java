package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads how parameters of a document are written: in their style, or as the content of a media type. */
final class OpenApiParameterReader {
    private static final Map<String, Set<ParameterStyle>> STYLES = Map.of(
            "path", Set.of(ParameterStyle.SIMPLE, ParameterStyle.LABEL, ParameterStyle.MATRIX),
            "query",
                    Set.of(
                            ParameterStyle.FORM,
                            ParameterStyle.SPACE_DELIMITED,
                            ParameterStyle.PIPE_DELIMITED,
                            ParameterStyle.DEEP_OBJECT),
            "header", Set.of(ParameterStyle.SIMPLE));

    private OpenApiParameterReader() {}

    /**
     * Returns how a parameter is written. Throws {@link OpenApiUnsupportedException} if this is not supported; its
     * message is what the parameter has, such as "a style that is not supported".
     */
    static ArgumentFormat format(JsonNode parameter) throws OpenApiUnsupportedException {
        String in = parameter.path("in").asText();
        Set<ParameterStyle> styles = STYLES.getOrDefault(in, Set.of());
        if (styles.isEmpty()) {
            throw new OpenApiUnsupportedException(in.equals("cookie") ? "a cookie" : "a place that is not supported");
        }
        if (parameter.has("content")) {
            return content(parameter)
                    .map(type -> isJson(type.getKey()) ? ArgumentFormat.JSON : ArgumentFormat.SCALAR)
                    .orElseThrow(() -> new OpenApiUnsupportedException("a media type that is not supported"));
        }
        String standard = in.equals("query") ? "form" : "simple";
        return ParameterStyle.of(parameter.path("style").asText(standard))
                .filter(styles::contains)
                .map(style -> new ArgumentFormat(
                        style,
                        parameter.path("explode").asBoolean(style == ParameterStyle.FORM),
                        parameter.path("allowReserved").asBoolean(false)))
                .orElseThrow(() -> new OpenApiUnsupportedException("a style that is not supported"));
    }

    /** Returns the declared schema of a parameter, or of its content. */
    static JsonNode schema(JsonNode parameter) {
        return content(parameter).map(Map.Entry::getValue).orElse(parameter).path("schema");
    }

    /** Returns the media type of a parameter's content with its declaration: JSON or a text; empty if it is neither. */
    private static Optional<Map.Entry<String, JsonNode>> content(JsonNode parameter) {
        return parameter.path("content").properties().stream()
                .filter(type -> isJson(type.getKey()) || BodyFormat.isText(BodyFormat.essence(type.getKey())))
                .min(Comparator.comparingInt(type -> isJson(type.getKey()) ? 0 : 1));
    }

    /** Returns the JSON media type of a content; empty if there is none. */
    static Optional<JsonNode> jsonContent(JsonNode content) {
        return content.properties().stream()
                .filter(entry -> isJson(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static boolean isJson(String mediaType) {
        String type = BodyFormat.essence(mediaType);
        return BodyFormat.isJson(type) || BodyFormat.isUniversal(type);
    }
}
