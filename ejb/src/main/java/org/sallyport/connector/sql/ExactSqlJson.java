package org.sallyport.connector.sql;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** Reads and makes JSON with all digits of numbers. */
final class ExactSqlJson {
    static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

    static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(NODES)
            .build();

    private ExactSqlJson() {}
}
