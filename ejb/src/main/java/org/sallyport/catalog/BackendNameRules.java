package org.sallyport.catalog;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.sandbox.ToolIdentifiers;

/** Valid names of backends and tools: names that mean the same in a script, in a grant and as a queue. */
public final class BackendNameRules {
    private static final Pattern BACKEND_PATTERN = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,62}");
    private static final Pattern INVALID_TOOL_CHARACTER = Pattern.compile("[^A-Za-z0-9_.-]");

    /** Globals of scripts, which must not be names of backends. */
    private static final Set<String> RESERVED_NAMES = Set.of(
            "java", "tools", "console", "events", "artifacts", "progress", "approvals", "capabilities", "mcp", "args");

    private BackendNameRules() {}

    /** Returns why {@code name} is not valid for a backend; empty when it is valid. */
    public static Optional<String> validationError(String name) {
        if (!BACKEND_PATTERN.matcher(name).matches()) {
            return Optional.of("must be a letter and then at most 62 letters, digits, '_' or '-'");
        }
        return RESERVED_NAMES.contains(name.toLowerCase(Locale.ROOT))
                ? Optional.of("must not be '" + name + "', which is reserved in scripts")
                : Optional.empty();
    }

    /** Returns {@code name} with each character replaced that is not valid in a backend's name. */
    public static String sanitize(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9_-]", "_");
        String led = plain.isEmpty() || !Character.isLetter(plain.charAt(0)) ? "x" + plain : plain;
        return led.substring(0, Math.min(63, led.length()));
    }

    /** Returns whether {@code name} is valid for a tool as it is. */
    public static boolean isToolName(String name) {
        return toToolName(name).equals(name);
    }

    /** Returns {@code declared} with {@code _} in place of each invalid character, and of bounded length. */
    static String toToolName(String declared) {
        String start = declared.substring(0, Math.min(ToolIdentifiers.MAX_LENGTH, declared.length()));
        return start.isEmpty() ? "_" : INVALID_TOOL_CHARACTER.matcher(start).replaceAll("_");
    }

    /** Returns the identifier in scripts of a backend if no other backend has it. */
    public static String toIdentifier(String backend) {
        return ToolIdentifiers.toIdentifier(backend);
    }
}
