package org.sallyport.catalog;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Valid names of backends and tools: names that mean the same in a script, in a grant and as a queue. */
public final class BackendNameRules {
    private static final Pattern BACKEND_PATTERN = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,62}");
    private static final Pattern INVALID_TOOL_CHARACTER = Pattern.compile("[^A-Za-z0-9_.-]");
    private static final int MAX_TOOL_NAME_LENGTH = 128;

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

    /**
     * Maps each tool of a backend from its original name to the name for scripts, grants and rules. Valid names stay
     * unchanged; of others that would collide, the later ones get {@code _2}, {@code _3}.
     *
     * @return sanitized name by original name
     */
    public static Map<String, String> toolNames(Collection<String> originals) {
        Map<String, String> names = new LinkedHashMap<>();
        Set<String> taken = new TreeSet<>();
        Set<String> sorted = new TreeSet<>(originals);
        for (String original : sorted) {
            if (sanitizeTool(original).equals(original)) {
                names.put(original, original);
                taken.add(original);
            }
        }
        for (String original : sorted) {
            if (!names.containsKey(original)) {
                String plain = sanitizeTool(original);
                String chosen = plain;
                for (int number = 2; !taken.add(chosen); number++) {
                    String end = "_" + number;
                    chosen = plain.substring(0, Math.min(plain.length(), MAX_TOOL_NAME_LENGTH - end.length())) + end;
                }
                names.put(original, chosen);
            }
        }
        return names;
    }

    private static String sanitizeTool(String original) {
        String plain = INVALID_TOOL_CHARACTER.matcher(original).replaceAll("_");
        return plain.isEmpty() ? "_" : plain.substring(0, Math.min(MAX_TOOL_NAME_LENGTH, plain.length()));
    }
}
