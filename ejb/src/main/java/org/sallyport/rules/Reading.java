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
final class Reading {
    private static final int USUAL_PLACES = 8;
    /** A policy with more of them is not worth as much memory for each of its calls. */
    private static final int MOST_PLACES = 1_024;

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final Json text;
    private @Nullable JsonNode read;
    /** By the numbers of their places; null where nobody has looked. */
    private @Nullable JsonNode[] values = new JsonNode[USUAL_PLACES];

    Reading(Json text) {
        this.text = text;
    }

    /** All of it; missing when it cannot be read. */
    JsonNode all() {
        JsonNode known = read;
        if (known == null) {
            try {
                known = JSON.readTree(text.text());
            } catch (JsonProcessingException e) {
                known = MissingNode.getInstance();
            }
            read = known;
        }
        return known;
    }

    /** What is there; missing where nothing is. */
    JsonNode at(Place place) {
        int number = place.number();
        if (number >= MOST_PLACES) {
            return all().at(place.pointer());
        }
        if (number >= values.length) {
            values = Arrays.copyOf(values, Math.max(number + 1, 2 * values.length));
        }
        JsonNode known = values[number];
        if (known == null) {
            known = all().at(place.pointer());
            values[number] = known;
        }
        return known;
    }
}
