package org.sallyport.connector.mcp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/**
 * JSON mapper for the SDK: limits the nesting depth, rejects duplicate names in an object, and keeps all digits of
 * numbers.
 */
final class McpJson {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_STRING_LENGTH = 64 * 1024 * 1024;

    static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxStringLength(MAX_STRING_LENGTH)
                            .build())
                    // All servers share the symbol table, and could choose names that make it slow or full.
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    static final McpJsonMapper SDK_MAPPER = new StrictMcpJsonMapper(MAPPER);

    /**
     * Disables the SDK's validation and its search for a validator: schemas are validated when calls are authorized.
     */
    static final JsonSchemaValidator NO_VALIDATION =
            (schema, content) -> JsonSchemaValidator.ValidationResponse.asValid("");

    private McpJson() {}

    @SuppressWarnings("unchecked") // Jackson returns a map for an object
    static Map<String, Object> toMap(Json json) {
        try {
            return MAPPER.readValue(json.text(), Map.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("arguments are no JSON object", e);
        }
    }

    /** Whether a value is true; some servers write truth values as texts. */
    static boolean isTrue(@Nullable Object value) {
        return Boolean.TRUE.equals(value) || "true".equals(value);
    }

    static Json toJson(Object value) {
        try {
            return new Json(MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
