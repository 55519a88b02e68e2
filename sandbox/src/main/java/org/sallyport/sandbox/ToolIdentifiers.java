package org.sallyport.sandbox;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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

    private ToolIdentifiers() {}

    /**
     * Assigns an identifier to each name. The names are processed in the order of their UTF-16 code units; a name whose
     * identifier is already taken gets the suffix {@code _2}, {@code _3} and so on.
     *
     * @return identifier by original name, in that order
     */
    public static Map<String, String> assignIdentifiers(Collection<String> names) {
        Map<String, String> identifiers = new LinkedHashMap<>();
        Set<String> taken = new TreeSet<>();
        for (String name : new TreeSet<>(names)) {
            String plain = toIdentifier(name);
            String chosen = plain;
            for (int number = 2; !taken.add(chosen); number++) {
                chosen = plain + "_" + number;
            }
            identifiers.put(name, chosen);
        }
        return Collections.unmodifiableMap(identifiers);
    }

    /**
     * Returns the same tools with identifiers that are unique among them. Call it with all existing tools, before any
     * filtering: otherwise an identifier would denote another tool for a script that sees fewer tools.
     */
    public static List<GuestTool> withIdentifiers(List<GuestTool> all) {
        Map<String, Set<String>> byBackend = new TreeMap<>();
        all.forEach(tool -> byBackend
                .computeIfAbsent(tool.backend(), backend -> new TreeSet<>())
                .add(tool.tool()));
        Map<String, String> backends = assignIdentifiers(byBackend.keySet());
        Map<String, Map<String, String>> tools = new HashMap<>();
        byBackend.forEach((backend, own) -> tools.put(backend, assignIdentifiers(own)));
        return all.stream()
                .map(tool -> new GuestTool(
                        tool.backend(),
                        tool.tool(),
                        tool.metadataJson(),
                        backends.getOrDefault(tool.backend(), tool.backend()),
                        tools.getOrDefault(tool.backend(), Map.of()).getOrDefault(tool.tool(), tool.tool())))
                .toList();
    }

    /** Returns the identifier of a name that collides with no other name. */
    static String toIdentifier(String name) {
        StringBuilder built = new StringBuilder(name.length());
        name.codePoints().forEach(point -> built.appendCodePoint(isIdentifierPart(point) ? point : '_'));
        if (built.isEmpty() || Character.isDigit(built.codePointAt(0))) {
            built.insert(0, '_');
        }
        String identifier = built.toString();
        return RESERVED.contains(identifier) ? identifier + "_" : identifier;
    }

    private static boolean isIdentifierPart(int point) {
        return point == '$' || (Character.isUnicodeIdentifierPart(point) && !Character.isIdentifierIgnorable(point));
    }
}
