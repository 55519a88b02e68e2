package org.sallyport.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** An object in a document; every fault is told with its place. */
final class Fields {
    private static final int LONGEST_TEXT = 2_000;
    private static final int MOST_TEXTS = 500;

    private final String place;
    private final ObjectNode json;

    private Fields(String place, ObjectNode json) {
        this.place = place;
        this.json = json;
    }

    static Fields of(String place, JsonNode json) throws InvalidRulesException {
        if (json instanceof ObjectNode object) {
            return new Fields(place, object);
        }
        throw new InvalidRulesException(place, "must be an object");
    }

    InvalidRulesException fault(String name, String why) {
        return new InvalidRulesException(place(name), why);
    }

    private String place(String name) {
        return place.isEmpty() || name.isEmpty() ? place + name : place + "." + name;
    }

    void allow(Set<String> known) throws InvalidRulesException {
        for (String name : names()) {
            if (!known.contains(name)) {
                throw fault(
                        name.length() > 60 ? name.substring(0, 60) + "…" : name,
                        "is unknown; known are " + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** What is there; null counts as nothing but for a value that is asked for itself. */
    Optional<JsonNode> value(String name) {
        return Optional.ofNullable(json.get(name));
    }

    private Optional<JsonNode> present(String name) {
        return value(name).filter(value -> !value.isNull());
    }

    Optional<String> text(String name) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        if (value.isPresent()
                && !(value.get().isTextual() && value.get().textValue().length() <= LONGEST_TEXT)) {
            throw fault(name, "must be text of at most " + LONGEST_TEXT + " characters");
        }
        return value.map(JsonNode::textValue);
    }

    Optional<Boolean> truth(String name) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        if (value.isPresent() && !value.get().isBoolean()) {
            throw fault(name, "must be true or false");
        }
        return value.map(JsonNode::booleanValue);
    }

    OptionalLong whole(String name, long least, long most) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        JsonNode number = value.get();
        if (!number.isIntegralNumber()
                || !number.canConvertToLong()
                || number.longValue() < least
                || number.longValue() > most) {
            throw fault(name, "must be a whole number from " + least + " to " + most);
        }
        return OptionalLong.of(number.longValue());
    }

    BigDecimal number(String name) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        if (value.isEmpty() || !value.get().isNumber()) {
            throw fault(name, "must be a number");
        }
        return value.get().decimalValue();
    }

    List<String> texts(String name) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        List<String> texts = new ArrayList<>();
        if (value.isEmpty()) {
            return texts;
        }
        for (JsonNode item : value.get()) {
            texts.add(item.isTextual() ? item.textValue() : "");
        }
        if (!value.get().isArray()
                || texts.size() > MOST_TEXTS
                || texts.stream().anyMatch(text -> text.isEmpty() || text.length() > LONGEST_TEXT)) {
            throw fault(name, "must be an array of at most " + MOST_TEXTS + " texts");
        }
        return texts;
    }

    Optional<Fields> object(String name) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        return value.isPresent() ? Optional.of(of(place(name), value.get())) : Optional.empty();
    }

    List<Fields> objects(String name, int most) throws InvalidRulesException {
        Optional<JsonNode> value = present(name);
        List<Fields> all = new ArrayList<>();
        if (value.isEmpty()) {
            return all;
        }
        if (!value.get().isArray() || value.get().size() > most) {
            throw fault(name, "must be an array of at most " + most + " objects");
        }
        for (JsonNode item : value.get()) {
            all.add(of(place(name) + "[" + all.size() + "]", item));
        }
        return all;
    }
}
