package org.sallyport.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A condition on one value in the arguments of a call. Holds for no value that is missing, unless it asks for that.
 *
 * @param location where the value is
 * @param predicate what must be true of it; of {@code MissingNode} where nothing is
 */
record ArgumentCondition(ArgumentLocation location, Predicate<JsonNode> predicate) {

    boolean holds(LazyArguments arguments) {
        return predicate.test(arguments.at(location));
    }

    static Predicate<JsonNode> number(Predicate<BigDecimal> test) {
        return value -> value.isNumber() && test.test(value.decimalValue());
    }

    /** Whether it is one of these; numbers by their value, however they are written. */
    static Predicate<JsonNode> oneOf(List<JsonNode> values) {
        Set<String> texts = values.stream()
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue)
                .collect(Collectors.toUnmodifiableSet());
        List<JsonNode> others =
                values.stream().filter(each -> !each.isTextual()).toList();
        return value -> value.isTextual()
                ? texts.contains(value.textValue())
                : others.stream().anyMatch(each -> sameValue(each, value));
    }

    private static boolean sameValue(JsonNode one, JsonNode other) {
        return one.isNumber() && other.isNumber()
                ? one.decimalValue().compareTo(other.decimalValue()) == 0
                : one.equals(other);
    }

    /** Of a text, or of each text in an array of which one is enough. */
    static Predicate<JsonNode> text(Predicate<String> test) {
        return value -> {
            if (value.isTextual()) {
                return test.test(value.textValue());
            }
            for (JsonNode item : value) {
                if (value.isArray() && item.isTextual() && test.test(item.textValue())) {
                    return true;
                }
            }
            return false;
        };
    }
}
