package org.sallyport.connector.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads plain scalars by the core schema of YAML 1.2, in which {@code no}, dates and {@code 1_000} are texts. */
final class YamlScalarParser {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> TRUE = Set.of("true", "True", "TRUE");
    private static final Set<String> FALSE = Set.of("false", "False", "FALSE");
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+");
    private static final Pattern OCTAL = Pattern.compile("0o[0-7]+");
    private static final Pattern HEXADECIMAL = Pattern.compile("0x[0-9a-fA-F]+");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(?:\\.[0-9]+|[0-9]+(?:\\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?");
    private static final Pattern NO_JSON_NUMBER = Pattern.compile("[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)");

    /** Longer numbers are not read, because that takes quadratic time. */
    private static final int MAX_NUMBER_LENGTH = 1_000;

    private YamlScalarParser() {}

    /** Returns the value of a plain scalar; empty if it is a number that JSON cannot carry. */
    static Optional<JsonNode> parse(String text) {
        if (NULLS.contains(text)) {
            return Optional.of(NODES.nullNode());
        }
        if (TRUE.contains(text) || FALSE.contains(text)) {
            return Optional.of(NODES.booleanNode(TRUE.contains(text)));
        }
        char first = text.charAt(0);
        if (first > '9' || NO_JSON_NUMBER.matcher(text).matches()) {
            return first > '9' ? Optional.of(NODES.textNode(text)) : Optional.empty();
        }
        return parseNumber(text);
    }

    private static Optional<JsonNode> parseNumber(String text) {
        boolean integer = INTEGER.matcher(text).matches();
        boolean octal = OCTAL.matcher(text).matches();
        boolean hexadecimal = HEXADECIMAL.matcher(text).matches();
        if (!integer && !octal && !hexadecimal && !FLOAT.matcher(text).matches()) {
            return Optional.of(NODES.textNode(text));
        }
        if (text.length() > MAX_NUMBER_LENGTH) {
            return Optional.empty();
        }
        if (integer) {
            return Optional.of(whole(new BigInteger(text)));
        }
        if (octal || hexadecimal) {
            return Optional.of(whole(new BigInteger(text.substring(2), octal ? 8 : 16)));
        }
        double value = Double.parseDouble(text);
        return Double.isInfinite(value) ? Optional.empty() : Optional.of(NODES.numberNode(value));
    }

    private static JsonNode whole(BigInteger value) {
        if (value.bitLength() < Integer.SIZE) {
            return NODES.numberNode(value.intValue());
        }
        return value.bitLength() < Long.SIZE ? NODES.numberNode(value.longValue()) : NODES.numberNode(value);
    }
}
