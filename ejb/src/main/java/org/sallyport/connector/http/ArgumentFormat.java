package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Writes an argument in a path, a query string, a header or a form (RFC 6570, and OpenAPI for its further styles).
 * Each item is percent-encoded by itself, so that the separators stay separators. Members of objects that are null are
 * left out. Refused are a null in a list, lists and objects within others (except with {@code deepObject}), members
 * without a name, bytes, and items with an encoded separator in them.
 *
 * @param style separators and names
 * @param explode whether each item of a list and each member of an object is a value of its own
 * @param allowReserved whether reserved characters of a value in a query string are not encoded
 */
record ArgumentFormat(ParameterStyle style, boolean explode, boolean allowReserved) {
    /** A text, a number or a boolean. */
    static final ArgumentFormat SCALAR = new ArgumentFormat(ParameterStyle.SCALAR, false, false);
    /** Any value, as JSON text. */
    static final ArgumentFormat JSON = new ArgumentFormat(ParameterStyle.JSON, false, false);

    /** Returns the parts {@code name=value} of a query string; none for an empty list or object. */
    List<String> queryPairs(String name, JsonNode value, RequestLengthLimit limit) {
        return pairs(value, new PairWriter(name, encoding(), "%5B", "%5D", limit));
    }

    /** Returns the parts {@code name=value} of a form, in which the brackets of {@code deepObject} are not encoded. */
    List<String> formPairs(String name, JsonNode value, RequestLengthLimit limit) {
        return pairs(value, new PairWriter(name, encoding(), "[", "]", limit));
    }

    private UnaryOperator<String> encoding() {
        return allowReserved ? PercentEncoding::encodeExceptReserved : PercentEncoding::encode;
    }

    /**
     * Writes parts {@code name=value}, and counts what it writes.
     *
     * @param argument name of the argument
     * @param encoding encodes values
     * @param open text before the name of a nested member
     * @param close text behind the name of a nested member
     */
    private record PairWriter(
            String argument, UnaryOperator<String> encoding, String open, String close, RequestLengthLimit limit) {

        String name() {
            return PercentEncoding.encode(argument);
        }

        String nestedName(String parent, String key) {
            String encoded = PercentEncoding.encode(key);
            limit.add((long) parent.length() + encoded.length() + open.length() + close.length());
            return parent + open + encoded + close;
        }

        String pair(String name, String encodedValue) {
            limit.add((long) name.length() + encodedValue.length() + 2);
            return name + "=" + encodedValue;
        }

        String pair(String name, JsonNode value) {
            return pair(name, encoding.apply(ScalarText.format(value, argument)));
        }
    }

    private List<String> pairs(JsonNode value, PairWriter writer) {
        FileArgument.refuseBytes(value, writer.argument());
        String name = writer.name();
        if (style == ParameterStyle.JSON) {
            return List.of(writer.pair(name, writer.encoding().apply(value.toString())));
        }
        List<String> pairs = new ArrayList<>();
        if (style == ParameterStyle.DEEP_OBJECT) {
            addNested(pairs, name, value, writer);
        } else if (!value.isContainerNode() || style == ParameterStyle.SCALAR) {
            pairs.add(writer.pair(name, value));
        } else if (explode) {
            for (TextPair item : items(writer.argument(), value)) {
                String key = item.key().map(PercentEncoding::encode).orElse(name);
                pairs.add(writer.pair(key, writer.encoding().apply(item.text())));
            }
        } else if (!value.isEmpty()) {
            List<TextPair> items = items(writer.argument(), value);
            refuseSeparators(writer.argument(), items);
            pairs.add(writer.pair(name, joined(items, separator(), writer.encoding())));
        }
        return pairs;
    }

    private static void addNested(List<String> pairs, String name, JsonNode value, PairWriter writer) {
        if (value.isObject()) {
            value.properties()
                    .forEach(entry -> addNested(
                            pairs,
                            writer.nestedName(name, requireName(entry.getKey(), writer.argument())),
                            entry.getValue(),
                            writer));
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                addNested(pairs, writer.nestedName(name, Integer.toString(i)), value.path(i), writer);
            }
        } else if (!value.isNull()) {
            pairs.add(writer.pair(name, value));
        }
    }

    private String separator() {
        return switch (style) {
            case SPACE_DELIMITED -> "%20";
            case PIPE_DELIMITED -> "%7C";
            default -> ",";
        };
    }

    /** An item that contains an encoded separator would be read as two. */
    private void refuseSeparators(String argument, List<TextPair> items) {
        String separator = style == ParameterStyle.SPACE_DELIMITED ? " " : "|";
        if ((style == ParameterStyle.SPACE_DELIMITED || style == ParameterStyle.PIPE_DELIMITED)
                && items.stream()
                        .anyMatch(item -> item.text().contains(separator)
                                || item.key().orElse("").contains(separator))) {
            throw new UnencodableArgumentException(
                    "'" + argument + "' has an item with '" + separator + "', which separates the items");
        }
    }

    /**
     * Returns the text of a variable of a path. Throws {@link UnencodableArgumentException} if it would be empty, so
     * that its segment would vanish.
     *
     * @param inQuery whether the variable is behind a {@code ?}, where it may be empty
     */
    String pathText(String name, JsonNode value, boolean inQuery, RequestLengthLimit limit) {
        String text = text(name, value, PercentEncoding::encode, limit);
        if (text.isEmpty() && !inQuery) {
            throw new UnencodableArgumentException(
                    "'" + name + "' must not be empty, because its segment of the path would vanish");
        }
        return switch (style) {
            case LABEL -> "." + text;
            case MATRIX -> (explode && value.isContainerNode() ? ";" : ";" + PercentEncoding.encode(name) + "=") + text;
            default -> text;
        };
    }

    /** Returns the text of a header, which is not percent-encoded. */
    String headerText(String name, JsonNode value) {
        return text(name, value, UnaryOperator.identity(), RequestLengthLimit.ofHeader());
    }

    private String text(String name, JsonNode value, UnaryOperator<String> encoding, RequestLengthLimit limit) {
        FileArgument.refuseBytes(value, name);
        if (style == ParameterStyle.JSON) {
            return limit.counted(encoding.apply(value.toString()));
        }
        if (!value.isContainerNode() || style == ParameterStyle.SCALAR) {
            return limit.counted(encoding.apply(ScalarText.format(value, name)));
        }
        List<TextPair> items = items(name, value);
        if (!explode) {
            return limit.counted(joined(items, ",", encoding));
        }
        String itemName = style == ParameterStyle.MATRIX ? PercentEncoding.encode(name) + "=" : "";
        List<String> texts = new ArrayList<>();
        for (TextPair item : items) {
            String key = item.key().map(member -> encoding.apply(member) + "=").orElse(itemName);
            String text = encoding.apply(item.text());
            limit.add((long) key.length() + text.length() + 1);
            texts.add(key + text);
        }
        return String.join(style == ParameterStyle.LABEL ? "." : style == ParameterStyle.MATRIX ? ";" : ",", texts);
    }

    private static String joined(List<TextPair> items, String separator, UnaryOperator<String> encoding) {
        List<String> texts = new ArrayList<>();
        for (TextPair item : items) {
            item.key().ifPresent(key -> texts.add(encoding.apply(key)));
            texts.add(encoding.apply(item.text()));
        }
        return String.join(separator, texts);
    }

    /**
     * An item of a list, or a member of an object.
     *
     * @param key name of the member; empty for an item of a list
     */
    private record TextPair(Optional<String> key, String text) {}

    private static List<TextPair> items(String name, JsonNode value) {
        List<TextPair> items = new ArrayList<>();
        if (value.isObject()) {
            value.properties().stream()
                    .filter(entry -> !entry.getValue().isNull())
                    .forEach(entry -> items.add(new TextPair(
                            Optional.of(requireName(entry.getKey(), name)), itemText(entry.getValue(), name))));
        } else {
            value.forEach(item -> items.add(new TextPair(Optional.empty(), itemText(item, name))));
        }
        return items;
    }

    private static String requireName(String member, String argument) {
        if (member.isEmpty()) {
            throw new UnencodableArgumentException("'" + argument + "' has a member without a name");
        }
        return member;
    }

    private static String itemText(JsonNode item, String name) {
        if (!ScalarText.isScalar(item)) {
            throw new UnencodableArgumentException("'" + name + "' must contain only texts, numbers and booleans");
        }
        return ScalarText.format(item, name);
    }
}
