package org.sallyport.catalog;

import java.util.List;
import java.util.stream.Collectors;

/** Texts of TypeScript types that are built from names, values and other types. */
final class TypeScriptSyntax {
    static final String UNKNOWN = "unknown";
    /** Maximum number of alternatives of a union, and of members of an object. */
    static final int MAX_MEMBERS = 200;

    private TypeScriptSyntax() {}

    /** Returns a member's name, quoted unless it is a plain identifier. */
    static String memberName(String name) {
        return isIdentifier(name) ? name : quote(name);
    }

    static String inParentheses(String type) {
        return type.contains(" | ") || type.contains(" & ") ? "(" + type + ")" : type;
    }

    static String union(List<String> types) {
        String text = types.stream().distinct().limit(MAX_MEMBERS).collect(Collectors.joining(" | "));
        return text.isEmpty() ? UNKNOWN : text;
    }

    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    private static boolean isIdentifier(String name) {
        return !name.isEmpty()
                && !Character.isDigit(name.charAt(0))
                && name.chars()
                        .allMatch(c -> c == '_'
                                || c == '$'
                                || c >= 'a' && c <= 'z'
                                || c >= 'A' && c <= 'Z'
                                || c >= '0' && c <= '9');
    }
}
