package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Reads JSON with all digits of its numbers. Refuses a member that occurs twice, and text after the value. */
final class ExactJsonMapper {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private ExactJsonMapper() {}

    /** Reads a text; throws {@link JsonProcessingException} if it is no JSON, or has a number that is out of range. */
    static JsonNode read(String json) throws JsonProcessingException {
        try {
            return MAPPER.readTree(json);
        } catch (NumberFormatException | ArithmeticException e) {
            throw outOfRange();
        }
    }

    /** Reads bytes; throws {@link IOException} if they are no JSON, or have a number that is out of range. */
    static JsonNode read(byte[] json) throws IOException {
        try {
            return MAPPER.readTree(json);
        } catch (NumberFormatException | ArithmeticException e) {
            throw outOfRange();
        }
    }

    private static JsonProcessingException outOfRange() {
        return new JsonParseException(null, "a number has an exponent that is out of range");
    }
}
