package org.sallyport.policyengine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Reads an object of a document. Every error names its location. */
final class DocumentReader {
    private static final int MAX_TEXT_LENGTH = 2_000;
    private static final int MAX_TEXTS = 500;

    private final String path;
    private final ObjectNode json;

    private DocumentReader(String place, ObjectNode json) {
        this.path = place;
        this.json = json;
    }

    static DocumentReader of(String place, JsonNode json) throws InvalidPolicyException {
        if (json instanceof ObjectNode object) {
            return new DocumentReader(place, object);
        }
        throw new InvalidPolicyException(place, "must be an object");
    }

    InvalidPolicyException invalid(String name, String why) {
        return new InvalidPolicyException(pathOf(name), why);
    }

    private String pathOf(String name) {
        return path.isEmpty() || name.isEmpty() ? path + name : path + "." + name;
    }

    void allowOnly(Set<String> known) throws InvalidPolicyException {
        for (String name : memberNames()) {
            if (!known.contains(name)) {
                throw invalid(
                        name.length() > 60 ? name.substring(0, 60) + "…" : name,
                        "is unknown; known are " + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    List<String> memberNames() {
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Returns a member as it is, JSON null included. The typed methods treat JSON null as missing. */
    Optional<JsonNode> value(String name) {
        return Optional.ofNullable(json.get(name));
    }

    private Optional<JsonNode> nonNullValue(String name) {
        return value(name).filter(value -> !value.isNull());
    }

    Optional<String> text(String name) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        if (value.isPresent()
                && !(value.get().isTextual() && value.get().textValue().length() <= MAX_TEXT_LENGTH)) {
            throw invalid(name, "must be text of at most " + MAX_TEXT_LENGTH + " characters");
        }
        return value.map(JsonNode::textValue);
    }

    Optional<Boolean> bool(String name) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        if (value.isPresent() && !value.get().isBoolean()) {
            throw invalid(name, "must be true or false");
        }
        return value.map(JsonNode::booleanValue);
    }

    OptionalLong integer(String name, long least, long max) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        JsonNode number = value.get();
        if (!number.isIntegralNumber()
                || !number.canConvertToLong()
                || number.longValue() < least
                || number.longValue() > max) {
            throw invalid(name, "must be a whole number from " + least + " to " + max);
        }
        return OptionalLong.of(number.longValue());
    }

    BigDecimal number(String name) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        if (value.isEmpty() || !value.get().isNumber()) {
            throw invalid(name, "must be a number");
        }
        return value.get().decimalValue();
    }

    List<String> textList(String name) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        List<String> texts = new ArrayList<>();
        if (value.isEmpty()) {
            return texts;
        }
        for (JsonNode item : value.get()) {
            texts.add(item.isTextual() ? item.textValue() : "");
        }
        if (!value.get().isArray()
                || texts.size() > MAX_TEXTS
                || texts.stream().anyMatch(text -> text.isEmpty() || text.length() > MAX_TEXT_LENGTH)) {
            throw invalid(name, "must be an array of at most " + MAX_TEXTS + " texts");
        }
        return texts;
    }

    Optional<DocumentReader> object(String name) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        return value.isPresent() ? Optional.of(of(pathOf(name), value.get())) : Optional.empty();
    }

    List<DocumentReader> objectList(String name, int maxSize) throws InvalidPolicyException {
        Optional<JsonNode> value = nonNullValue(name);
        List<DocumentReader> all = new ArrayList<>();
        if (value.isEmpty()) {
            return all;
        }
        if (!value.get().isArray() || value.get().size() > maxSize) {
            throw invalid(name, "must be an array of at most " + maxSize + " objects");
        }
        for (JsonNode item : value.get()) {
            all.add(of(pathOf(name) + "[" + all.size() + "]", item));
        }
        return all;
    }
}
