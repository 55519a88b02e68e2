package org.sallyport.redaction;

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

/** Restores redacted values in a JSON value that a person was shown and sends back edited. */
public final class RedactedValueRestorer {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .build();

    private final Redactor redactor;

    private RedactedValueRestorer(Redactor redaction) {
        this.redactor = redaction;
    }

    /**
     * Returns the edited value with the original in place of each redacted text that is unchanged at its place.
     *
     * @return empty when redacted text occurs at a place where it was not shown, so that its original is unknown
     */
    public static Optional<Json> restore(Json edited, Json original, Redactor redaction) {
        if (redaction.isEmpty() || !edited.text().contains(Redactor.PLACEHOLDER)) {
            return Optional.of(edited);
        }
        try {
            JsonNode meant = new RedactedValueRestorer(redaction)
                    .restoreNode(JSON.readTree(edited.text()), JSON.readTree(original.text()));
            return Optional.of(new Json(JSON.writeValueAsString(meant)));
        } catch (JsonProcessingException | UnknownRedactionException e) {
            return Optional.empty();
        }
    }

    private JsonNode restoreNode(JsonNode edited, @Nullable JsonNode original) {
        if (edited instanceof ObjectNode object) {
            return restoreMembers(object, original);
        } else if (edited instanceof ArrayNode array) {
            return restoreElements(array, original);
        } else if (!isRedacted(edited) || edited.equals(original)) {
            return edited;
        } else if (original != null
                && original.isValueNode()
                && redactor.redact(original.asText()).equals(edited.asText())) {
            return original;
        }
        throw new UnknownRedactionException();
    }

    private JsonNode restoreMembers(ObjectNode edited, @Nullable JsonNode original) {
        ObjectNode meant = edited.objectNode();
        for (Map.Entry<String, JsonNode> member : edited.properties()) {
            String name = restoreName(member.getKey(), original);
            meant.set(name, restoreNode(member.getValue(), original == null ? null : original.get(name)));
        }
        return meant;
    }

    private String restoreName(String shown, @Nullable JsonNode original) {
        if (!shown.contains(Redactor.PLACEHOLDER) || original != null && original.has(shown)) {
            return shown;
        }
        List<String> names = new ArrayList<>();
        if (original != null) {
            original.fieldNames().forEachRemaining(name -> {
                if (redactor.redact(name).equals(shown)) {
                    names.add(name);
                }
            });
        }
        if (names.size() != 1) {
            throw new UnknownRedactionException();
        }
        return names.get(0);
    }

    /** When the number of elements differs, elements cannot be matched with the original. */
    private JsonNode restoreElements(ArrayNode edited, @Nullable JsonNode original) {
        JsonNode there = original != null && original.isArray() && original.size() == edited.size() ? original : null;
        ArrayNode meant = edited.arrayNode();
        for (int i = 0; i < edited.size(); i++) {
            meant.add(restoreNode(edited.get(i), there == null ? null : there.get(i)));
        }
        return meant;
    }

    private static boolean isRedacted(JsonNode value) {
        return value.isTextual() && value.textValue().contains(Redactor.PLACEHOLDER);
    }

    private static final class UnknownRedactionException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
