package org.sallyport.policyengine;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A condition on one value in the arguments of a call. It does not hold for a missing value unless it requires one.
 *
 * @param location location of the value
 * @param predicate predicate of the value; receives a {@code MissingNode} when there is none
 */
record ArgumentCondition(ArgumentLocation location, Predicate<JsonNode> predicate) {

    boolean holds(LazyArguments arguments) {
        return predicate.test(arguments.at(location));
    }

    static Predicate<JsonNode> number(Predicate<BigDecimal> test) {
        return value -> value.isNumber() && test.test(value.decimalValue());
    }

    /** Matches any of these values. Numbers compare by value, not by notation. */
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

    /** Matches a text, or an array in which at least one text matches. */
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
