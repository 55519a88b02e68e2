package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text with placeholders {@code {name}} for arguments.
 *
 * @param commaSeparatedLists whether an argument may be a list, whose items are joined with commas
 */
record UrlTemplate(String text, boolean commaSeparatedLists) {
    private static final Pattern VARIABLE = Pattern.compile("\\{([A-Za-z0-9_.-]+)}");
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    /** The argument cannot be inserted at its place. */
    static final class TemplateArgumentException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TemplateArgumentException(String message) {
            super(message);
        }
    }

    UrlTemplate(String text) {
        this(text, false);
    }

    Set<String> variables() {
        Set<String> names = new LinkedHashSet<>();
        VARIABLE.matcher(text).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Returns the path; an argument never extends beyond its path segment. */
    String expandPath(JsonNode arguments) {
        String path = VARIABLE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(percentEncode(value(arguments, found.group(1))
                        .orElseThrow(() -> new TemplateArgumentException("'" + found.group(1) + "' is missing")))));
        for (String segment : path.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                throw new TemplateArgumentException("an argument makes a path segment '" + segment + "'");
            }
        }
        return path;
    }

    /** Returns the text with unencoded arguments; empty if one is missing. */
    Optional<String> expandUnencoded(JsonNode arguments) {
        if (variables().stream().anyMatch(name -> value(arguments, name).isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(VARIABLE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        value(arguments, found.group(1)).orElse(""))));
    }

    /**
     * Returns the values of a query parameter: one for each item if the whole template is one argument that is a list.
     */
    List<String> expandQueryValues(JsonNode arguments) {
        Matcher whole = VARIABLE.matcher(text);
        if (commaSeparatedLists
                || !whole.matches()
                || !arguments.path(whole.group(1)).isArray()) {
            return expandUnencoded(arguments).map(List::of).orElse(List.of());
        }
        List<String> each = new ArrayList<>();
        arguments.path(whole.group(1)).forEach(item -> each.add(itemText(item, whole.group(1))));
        return each;
    }

    private static String itemText(JsonNode item, String name) {
        if (!item.isValueNode()) {
            throw new TemplateArgumentException("'" + name + "' must be a list of texts, numbers or booleans");
        }
        return item.asText();
    }

    private Optional<String> value(JsonNode arguments, String name) {
        JsonNode value = arguments.path(name);
        if (commaSeparatedLists && value.isArray()) {
            List<String> items = new ArrayList<>();
            value.forEach(item -> items.add(itemText(item, name)));
            return Optional.of(String.join(",", items));
        }
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isValueNode()) {
            throw new TemplateArgumentException("'" + name + "' must be a text, a number or a boolean");
        }
        return Optional.of(value.asText());
    }

    /** Percent-encodes the UTF-8 bytes of all characters that RFC 3986 does not list as unreserved. */
    static String percentEncode(String value) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
            if (b > 0 && UNRESERVED.indexOf(b) >= 0) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX[(b >> 4) & 0xf]).append(HEX[b & 0xf]);
            }
        }
        return encoded.toString();
    }
}
