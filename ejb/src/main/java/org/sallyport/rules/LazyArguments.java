package org.sallyport.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/**
 * The arguments of one call while it is judged: read when the first rule asks for them, and each place looked up once,
 * however many rules ask for it. Not thread-safe.
 */
final class LazyArguments {
    private static final int INITIAL_CAPACITY = 8;
    /** A policy with more of them is not worth as much memory for each of its calls. */
    private static final int MAX_CACHED_LOCATIONS = 1_024;

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final Json json;
    private @Nullable JsonNode parsed;
    /** By the numbers of their places; null where nobody has looked. */
    private @Nullable JsonNode[] values = new JsonNode[INITIAL_CAPACITY];

    LazyArguments(Json text) {
        this.json = text;
    }

    /** All of it; missing when it cannot be read. */
    JsonNode root() {
        JsonNode known = parsed;
        if (known == null) {
            try {
                known = JSON.readTree(json.text());
            } catch (JsonProcessingException e) {
                known = MissingNode.getInstance();
            }
            parsed = known;
        }
        return known;
    }

    /** What is there; missing where nothing is. */
    JsonNode at(ArgumentLocation place) {
        int number = place.index();
        if (number >= MAX_CACHED_LOCATIONS) {
            return root().at(place.pointer());
        }
        if (number >= values.length) {
            values = Arrays.copyOf(values, Math.max(number + 1, 2 * values.length));
        }
        JsonNode known = values[number];
        if (known == null) {
            known = root().at(place.pointer());
            values[number] = known;
        }
        return known;
    }
}
