package org.sallyport.sandbox;

import java.util.Set;

/** Converts the names of backends and tools to the identifiers that scripts use. */
public final class ToolIdentifiers {

    /**
     * Words that are not valid as an identifier in every place, and {@code then}, which would turn its owner into a
     * thenable.
     */
    private static final Set<String> RESERVED = Set.of(
            "arguments",
            "async",
            "await",
            "break",
            "case",
            "catch",
            "class",
            "const",
            "continue",
            "debugger",
            "default",
            "delete",
            "do",
            "else",
            "enum",
            "eval",
            "export",
            "extends",
            "false",
            "finally",
            "for",
            "function",
            "if",
            "implements",
            "import",
            "in",
            "instanceof",
            "interface",
            "let",
            "new",
            "null",
            "package",
            "private",
            "protected",
            "public",
            "return",
            "static",
            "super",
            "switch",
            "then",
            "this",
            "throw",
            "true",
            "try",
            "typeof",
            "var",
            "void",
            "while",
            "with",
            "yield");

    /** Maximum length of an identifier in UTF-16 code units. */
    public static final int MAX_LENGTH = 128;

    private ToolIdentifiers() {}

    /** Returns whether scripts can use {@code name} itself as an identifier. */
    public static boolean isIdentifier(String name) {
        return toIdentifier(name).equals(name);
    }

    /**
     * Returns the identifier of a name that collides with no other name: {@code name} with {@code _} in place of each
     * character that an identifier cannot have. It has at most {@link #MAX_LENGTH} UTF-16 code units.
     */
    public static String toIdentifier(String name) {
        StringBuilder built = new StringBuilder(Math.min(name.length(), MAX_LENGTH));
        int at = 0;
        while (at < name.length() && built.length() < MAX_LENGTH) {
            int point = name.codePointAt(at);
            int replaced = isIdentifierPart(point) ? point : '_';
            if (built.isEmpty() && !isIdentifierStart(replaced)) {
                built.append('_');
            }
            if (built.length() + Character.charCount(replaced) > MAX_LENGTH) {
                break;
            }
            built.appendCodePoint(replaced);
            at += Character.charCount(point);
        }
        String identifier = built.isEmpty() ? "_" : built.toString();
        return RESERVED.contains(identifier) ? identifier + "_" : identifier;
    }

    private static boolean isIdentifierStart(int point) {
        return point == '$' || point == '_' || Character.isUnicodeIdentifierStart(point);
    }

    private static boolean isIdentifierPart(int point) {
        return point == '$' || (Character.isUnicodeIdentifierPart(point) && !Character.isIdentifierIgnorable(point));
    }
}
