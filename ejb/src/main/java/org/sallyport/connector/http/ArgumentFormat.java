package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Writes an argument in a path, a query string, a header or a form (RFC 6570, and OpenAPI for its further styles).
 * Each item is percent-encoded by itself, so that the separators stay separators. Members of objects that are null are
 * left out; a null in a list is refused, as are lists and objects within others, except with {@code deepObject}.
 *
 * @param style separators and names
 * @param explode whether each item of a list and each member of an object is a value of its own
 * @param allowReserved whether reserved characters of a value in a query string are not encoded
 */
record ArgumentFormat(ParameterStyle style, boolean explode, boolean allowReserved) {
    /** A text, a number or a boolean. */
    static final ArgumentFormat SCALAR = new ArgumentFormat(ParameterStyle.SCALAR, false, false);

    /** Returns the parts {@code name=value} of a query string; none for an empty list or object. */
    List<String> queryPairs(String name, JsonNode value) {
        return pairs(name, value, "%5B", "%5D");
    }

    /** Returns the parts {@code name=value} of a form, in which the brackets of {@code deepObject} are not encoded. */
    List<String> formPairs(String name, JsonNode value) {
        return pairs(name, value, "[", "]");
    }

    private List<String> pairs(String name, JsonNode value, String open, String close) {
        UnaryOperator<String> encoding =
                allowReserved ? PercentEncoding::encodeExceptReserved : PercentEncoding::encode;
        String start = PercentEncoding.encode(name) + "=";
        if (style == ParameterStyle.JSON) {
            return List.of(start + encoding.apply(value.toString()));
        }
        List<String> pairs = new ArrayList<>();
        if (style == ParameterStyle.DEEP_OBJECT) {
            addNested(pairs, PercentEncoding.encode(name), value, new NestedNames(name, open, close, encoding));
        } else if (!value.isContainerNode() || style == ParameterStyle.SCALAR) {
            pairs.add(start + encoding.apply(ScalarText.format(value, name)));
        } else if (explode) {
            for (TextPair item : items(name, value)) {
                pairs.add((item.key().isEmpty() ? start : PercentEncoding.encode(item.key()) + "=")
                        + encoding.apply(item.text()));
            }
        } else if (!value.isEmpty()) {
            pairs.add(start + joined(items(name, value), separator(), encoding));
        }
        return pairs;
    }

    /** How the names of nested members are written. */
    private record NestedNames(String argument, String open, String close, UnaryOperator<String> encoding) {
        String of(String parent, String key) {
            return parent + open + PercentEncoding.encode(key) + close;
        }
    }

    private static void addNested(List<String> pairs, String name, JsonNode value, NestedNames names) {
        if (value.isObject()) {
            value.properties()
                    .forEach(entry -> addNested(pairs, names.of(name, entry.getKey()), entry.getValue(), names));
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                addNested(pairs, names.of(name, Integer.toString(i)), value.path(i), names);
            }
        } else if (!value.isNull()) {
            pairs.add(name + "=" + names.encoding().apply(ScalarText.format(value, names.argument())));
        }
    }

    private String separator() {
        return switch (style) {
            case SPACE_DELIMITED -> "%20";
            case PIPE_DELIMITED -> "%7C";
            default -> ",";
        };
    }

    /** Returns the text of a path; throws {@link UnencodableArgumentException} if it would be empty. */
    String pathText(String name, JsonNode value) {
        String text = text(name, value, PercentEncoding::encode);
        if (text.isEmpty()) {
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
        return text(name, value, UnaryOperator.identity());
    }

    private String text(String name, JsonNode value, UnaryOperator<String> encoding) {
        if (style == ParameterStyle.JSON) {
            return encoding.apply(value.toString());
        }
        if (!value.isContainerNode() || style == ParameterStyle.SCALAR) {
            return encoding.apply(ScalarText.format(value, name));
        }
        List<TextPair> items = items(name, value);
        if (!explode) {
            return joined(items, ",", encoding);
        }
        String itemName = style == ParameterStyle.MATRIX ? PercentEncoding.encode(name) + "=" : "";
        List<String> texts = new ArrayList<>();
        for (TextPair item : items) {
            texts.add(
                    (item.key().isEmpty() ? itemName : encoding.apply(item.key()) + "=") + encoding.apply(item.text()));
        }
        return String.join(style == ParameterStyle.LABEL ? "." : style == ParameterStyle.MATRIX ? ";" : ",", texts);
    }

    private static String joined(List<TextPair> items, String separator, UnaryOperator<String> encoding) {
        List<String> texts = new ArrayList<>();
        for (TextPair item : items) {
            if (!item.key().isEmpty()) {
                texts.add(encoding.apply(item.key()));
            }
            texts.add(encoding.apply(item.text()));
        }
        return String.join(separator, texts);
    }

    /**
     * An item of a list, or a member of an object.
     *
     * @param key name of the member; empty for an item of a list
     */
    private record TextPair(String key, String text) {}

    private static List<TextPair> items(String name, JsonNode value) {
        List<TextPair> items = new ArrayList<>();
        if (value.isObject()) {
            value.properties().stream()
                    .filter(entry -> !entry.getValue().isNull())
                    .forEach(entry -> items.add(new TextPair(entry.getKey(), itemText(entry.getValue(), name))));
        } else {
            value.forEach(item -> items.add(new TextPair("", itemText(item, name))));
        }
        return items;
    }

    private static String itemText(JsonNode item, String name) {
        if (!ScalarText.isScalar(item)) {
            throw new UnencodableArgumentException("'" + name + "' must contain only texts, numbers and booleans");
        }
        return ScalarText.format(item, name);
    }
}
