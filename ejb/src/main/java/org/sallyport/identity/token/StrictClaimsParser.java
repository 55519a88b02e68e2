package org.sallyport.identity.token;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Parses untrusted JSON. Rejects deep nesting and duplicate member names, because readers differ in which duplicate
 * they use.
 */
final class StrictClaimsParser {
    private static final int MAX_NESTING = 20;

    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING)
                            .maxNumberLength(40)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private StrictClaimsParser() {}

    /** Parses an object. Throws {@link JsonProcessingException} when the text is not a well-formed object. */
    static ObjectNode parseObject(String text) throws JsonProcessingException {
        JsonNode json = JSON.readTree(text);
        if (json instanceof ObjectNode object) {
            return object;
        }
        throw new JsonParseException(null, "not a JSON object");
    }
}
