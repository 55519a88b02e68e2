package org.sallyport.store.jpa;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.sallyport.tool.Json;

/** Converts lists and maps of strings to JSON columns and back. */
final class JsonColumnCodec {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final TypeReference<List<String>> LIST = new TypeReference<>() {};
    private static final TypeReference<Map<String, String>> MAP = new TypeReference<>() {};
    private static final Json EMPTY_LIST = new Json("[]");

    private JsonColumnCodec() {}

    static Json ofList(List<String> values) {
        return values.isEmpty() ? EMPTY_LIST : write(values);
    }

    static Json ofMap(Map<String, String> values) {
        return values.isEmpty() ? Json.EMPTY_OBJECT : write(values);
    }

    static List<String> parseList(Json json) {
        return json.text().equals(EMPTY_LIST.text()) ? List.of() : read(json, LIST);
    }

    static Map<String, String> parseMap(Json json) {
        return json.text().equals(Json.EMPTY_OBJECT.text()) ? Map.of() : read(json, MAP);
    }

    private static Json write(Object value) {
        try {
            return new Json(MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static <T> T read(Json json, TypeReference<T> type) {
        try {
            return MAPPER.readValue(json.text(), type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON column contains invalid JSON", e);
        }
    }
}
