package org.sallyport.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;

/** Reads and writes JSON by the rules of the API: numbers keep their digits, one value per text. Thread-safe. */
public final class ApiJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private ApiJson() {}

    /**
     * Parses one JSON value. Returns a missing node for an empty text.
     *
     * @throws JsonProcessingException if the text is not one JSON value; its location is the position in the text
     */
    public static JsonNode parse(String text) throws JsonProcessingException {
        JsonNode node = MAPPER.readTree(text);
        return node == null ? MAPPER.missingNode() : node;
    }

    /** Returns a new object without members. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Returns the value on one line. */
    public static String compact(JsonNode value) {
        return write(value, false);
    }

    /** Returns the value on several lines, indented by two blanks. */
    public static String pretty(JsonNode value) {
        return write(value, true);
    }

    /** Returns a member as text; {@code ""} if it is missing or null. Converts numbers and booleans to text. */
    public static String text(JsonNode object, String member) {
        JsonNode value = object.path(member);
        return value.isNull() ? "" : value.asText("");
    }

    /** Returns the number of a member; empty if it is missing or not a number. */
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
