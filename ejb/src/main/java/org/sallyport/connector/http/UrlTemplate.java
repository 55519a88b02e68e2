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
 * A text with {@code {name}} where arguments go.
 *
 * @param commas whether an argument may be a list, whose items are written with commas between them
 */
record UrlTemplate(String text, boolean commas) {
    private static final Pattern VARIABLE = Pattern.compile("\\{([A-Za-z0-9_.-]+)}");
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    /** An argument that cannot go where it is to go. */
    static final class BadArgumentException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadArgumentException(String message) {
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

    /** The path; each argument stays within its segment, whatever it holds. */
    String path(JsonNode arguments) {
        String path = VARIABLE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(encoded(value(arguments, found.group(1))
                        .orElseThrow(() -> new BadArgumentException("'" + found.group(1) + "' is missing")))));
        for (String segment : path.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                throw new BadArgumentException("an argument makes a path segment '" + segment + "'");
            }
        }
        return path;
    }

    /** The text with arguments as they are; empty when one is missing. */
    Optional<String> plain(JsonNode arguments) {
        if (variables().stream().anyMatch(name -> value(arguments, name).isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(VARIABLE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        value(arguments, found.group(1)).orElse(""))));
    }

    /** The texts that stand for it in a query: one for each item where all of it is one argument that is a list. */
    List<String> each(JsonNode arguments) {
        Matcher whole = VARIABLE.matcher(text);
        if (commas || !whole.matches() || !arguments.path(whole.group(1)).isArray()) {
            return plain(arguments).map(List::of).orElse(List.of());
        }
        List<String> each = new ArrayList<>();
        arguments.path(whole.group(1)).forEach(item -> each.add(item(item, whole.group(1))));
        return each;
    }

    private static String item(JsonNode item, String name) {
        if (!item.isValueNode()) {
            throw new BadArgumentException("'" + name + "' must be a list of texts, numbers or booleans");
        }
        return item.asText();
    }

    private Optional<String> value(JsonNode arguments, String name) {
        JsonNode value = arguments.path(name);
        if (commas && value.isArray()) {
            List<String> items = new ArrayList<>();
            value.forEach(item -> items.add(item(item, name)));
            return Optional.of(String.join(",", items));
        }
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isValueNode()) {
            throw new BadArgumentException("'" + name + "' must be a text, a number or a boolean");
        }
        return Optional.of(value.asText());
    }

    /** Everything but what RFC 3986 leaves unreserved as its bytes in UTF-8. */
    static String encoded(String value) {
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
