package org.sallyport.connector.bean;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.sallyport.tool.Json;

/** Reads JSON without losing digits of numbers. */
final class ExactJsonReader {
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final ObjectReader READER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build()
            .reader();

    private ExactJsonReader() {}

    /** Parses JSON; throws {@link BeanMappingException} if the text is not JSON. */
    static JsonNode readTree(Json json) {
        try {
            return READER.readTree(json.text());
        } catch (JsonProcessingException e) {
            throw new BeanMappingException("the text", "is not JSON");
        }
    }
}
