package org.sallyport.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;

/** Reads and writes JSON as the API means it: numbers keep their digits, one value per text. Thread-safe. */
public final class ApiJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private ApiJson() {}

    /**
     * Parses one JSON value.
     *
     * @throws JsonProcessingException if the text is anything else, with the place in its location
     */
    public static JsonNode parse(String text) throws JsonProcessingException {
        JsonNode node = MAPPER.readTree(text);
        return node == null ? MAPPER.missingNode() : node;
    }

    /** An object without members. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** The value on one line. */
    public static String compact(JsonNode value) {
        return write(value, false);
    }

    /** The value over several lines, indented by two blanks. */
    public static String pretty(JsonNode value) {
        return write(value, true);
    }

    /** A member's text, or {@code ""} where it is missing or null; numbers and booleans come as they are written. */
    public static String text(JsonNode object, String member) {
        JsonNode value = object.path(member);
        return value.isNull() ? "" : value.asText("");
    }

    /** A member's whole number, or nothing where it is missing or of another kind. */
    static OptionalLong number(JsonNode object, String member) {
        JsonNode value = object.path(member);
        return value.isNumber() ? OptionalLong.of(value.asLong()) : OptionalLong.empty();
    }

    private static String write(JsonNode value, boolean indented) {
        try {
            return indented
                    ? MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value)
                    : MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a parsed value can always be written", e);
        }
    }
}
