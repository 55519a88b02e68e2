package org.sallyport.connector.bean;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.sallyport.bean.RawJson;
import org.sallyport.connector.document.ExactJson;
import org.sallyport.tool.Json;

/** Reads JSON without losing digits of numbers. */
final class ExactJsonReader {
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final ObjectReader READER =
            ExactJson.MAPPER.reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private ExactJsonReader() {}

    /** Parses JSON; throws {@link BeanMappingException} if the text is not JSON. */
    static JsonNode readTree(Json json) {
        return readTree(json.text());
    }

    private static JsonNode readTree(String text) {
        try {
            JsonNode json = READER.readTree(text);
            if (!json.isMissingNode()) {
                return json;
            }
        } catch (JsonProcessingException e) {
            // The same error as for an empty text.
        }
        throw new BeanMappingException("the text", "is not JSON");
    }

    /** Returns the same text; throws {@link BeanMappingException} if it is not JSON. */
    static Json validate(RawJson json) {
        readTree(json.text());
        return new Json(json.text());
    }
}
