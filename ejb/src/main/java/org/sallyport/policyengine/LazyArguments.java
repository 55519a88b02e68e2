package org.sallyport.policyengine;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/**
 * The arguments of one call during the evaluation of rules. Parses them when the first rule needs them, and resolves
 * each location once for all rules. Not thread-safe.
 */
final class LazyArguments {
    private static final int INITIAL_CAPACITY = 8;
    /** Bounds the memory per call for policies with very many locations; further locations are not cached. */
    private static final int MAX_CACHED_LOCATIONS = 1_024;

    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    // The limits of a call bound its names and texts.
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    // All scripts share the symbol table, and could choose names that make it slow or full.
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Json json;
    private @Nullable JsonNode parsed;
    /** Values by the index of their location; null where not resolved yet. */
    private @Nullable JsonNode[] values = new JsonNode[INITIAL_CAPACITY];

    LazyArguments(Json text) {
        this.json = text;
    }

    /**
     * Returns all arguments.
     *
     * @throws UnreadableArgumentsException when they are not exactly one JSON value, or have a duplicate member
     */
    JsonNode root() {
        JsonNode known = parsed;
        if (known == null) {
            try {
                known = JSON.readTree(json.text());
            } catch (JsonProcessingException invalid) {
                throw new UnreadableArgumentsException(invalid);
            }
            if (known.isMissingNode()) {
                throw new UnreadableArgumentsException();
            }
            parsed = known;
        }
        return known;
    }

    /**
     * Returns the value at a location; a missing node when there is none.
     *
     * @throws UnreadableArgumentsException as {@link #root()}
     */
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
