package org.sallyport.connector.document;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** Reads and makes JSON with all digits of numbers. */
public final class ExactJson {
    public static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

    public static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(NODES)
            .build();

    private ExactJson() {}
}
