package org.sallyport.secret;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/** Puts back what was hidden from a person who was shown a JSON value and sends it changed. */
public final class HiddenParts {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .build();

    private final Redaction redaction;

    private HiddenParts(Redaction redaction) {
        this.redaction = redaction;
    }

    /**
     * What the person means: a text that still stands where it was shown is what was hidden there.
     *
     * @return empty when something hidden stands where it was not shown, so that nobody knows what it stands for
     */
    public static Optional<Json> restored(Json edited, Json original, Redaction redaction) {
        if (redaction.isEmpty() || !edited.text().contains(Redaction.SHOWN)) {
            return Optional.of(edited);
        }
        try {
            JsonNode meant =
                    new HiddenParts(redaction).of(JSON.readTree(edited.text()), JSON.readTree(original.text()));
            return Optional.of(new Json(JSON.writeValueAsString(meant)));
        } catch (JsonProcessingException | UnknownPartException e) {
            return Optional.empty();
        }
    }

    private JsonNode of(JsonNode edited, @Nullable JsonNode original) {
        if (edited instanceof ObjectNode object) {
            return members(object, original);
        } else if (edited instanceof ArrayNode array) {
            return elements(array, original);
        } else if (!isHidden(edited) || edited.equals(original)) {
            return edited;
        } else if (original != null
                && original.isValueNode()
                && redaction.of(original.asText()).equals(edited.asText())) {
            return original;
        }
        throw new UnknownPartException();
    }

    private JsonNode members(ObjectNode edited, @Nullable JsonNode original) {
        ObjectNode meant = edited.objectNode();
        for (Map.Entry<String, JsonNode> member : edited.properties()) {
            String name = name(member.getKey(), original);
            meant.set(name, of(member.getValue(), original == null ? null : original.get(name)));
        }
        return meant;
    }

    private String name(String shown, @Nullable JsonNode original) {
        if (!shown.contains(Redaction.SHOWN) || original != null && original.has(shown)) {
            return shown;
        }
        List<String> names = new ArrayList<>();
        if (original != null) {
            original.fieldNames().forEachRemaining(name -> {
                if (redaction.of(name).equals(shown)) {
                    names.add(name);
                }
            });
        }
        if (names.size() != 1) {
            throw new UnknownPartException();
        }
        return names.get(0);
    }

    /** Where some are missing or more, nobody can tell which is which. */
    private JsonNode elements(ArrayNode edited, @Nullable JsonNode original) {
        JsonNode there = original != null && original.isArray() && original.size() == edited.size() ? original : null;
        ArrayNode meant = edited.arrayNode();
        for (int i = 0; i < edited.size(); i++) {
            meant.add(of(edited.get(i), there == null ? null : there.get(i)));
        }
        return meant;
    }

    private static boolean isHidden(JsonNode value) {
        return value.isTextual() && value.textValue().contains(Redaction.SHOWN);
    }

    private static final class UnknownPartException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
