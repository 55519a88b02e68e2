package org.sallyport.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.tool.PlainText;

/**
 * Assigns names and identifiers to the new tools of a backend. A declared name that is valid as it is stays unchanged,
 * unless another tool has it as its name or identifier. All others get the suffix {@code _2}, {@code _3} and so on
 * until no tool of the backend has the result as its name or identifier.
 *
 * <p>The result depends on the earlier tools and on the set of new tools, not on their order.
 */
public final class ToolNameAssigner {
    private final Set<String> taken = new HashSet<>();
    /** The last number that was tried, by the text before the suffix. */
    private final Map<String, Integer> lastNumbers = new HashMap<>();

    private final Map<String, String> names = new HashMap<>();
    private final Map<String, String> identifiers = new HashMap<>();

    private ToolNameAssigner() {}

    /**
     * Assigns names to new tools.
     *
     * @param existing the names of all earlier tools of the backend, including those that are no longer declared
     * @param declaredByKey the declared names of the new tools, by a key that is unique among them
     * @return the assigned names by these keys
     */
    public static Map<String, AssignedToolName> assign(
            Collection<AssignedToolName> existing, Map<String, String> declaredByKey) {
        ToolNameAssigner assigner = new ToolNameAssigner();
        existing.forEach(earlier -> {
            assigner.taken.add(earlier.name());
            assigner.taken.add(earlier.identifier());
        });
        return assigner.assignAll(declaredByKey);
    }

    /**
     * Assigns the identifier of a new backend.
     *
     * @param others the identifiers of all other backends by their names
     */
    public static String assignBackendIdentifier(String name, Map<String, String> others) {
        ToolNameAssigner assigner = new ToolNameAssigner();
        assigner.taken.addAll(others.values());
        if (ToolIdentifiers.isIdentifier(name) && !assigner.taken.contains(name)) {
            return name;
        }
        assigner.taken.addAll(others.keySet());
        return assigner.takeFree(ToolIdentifiers.toIdentifier(name));
    }

    private Map<String, AssignedToolName> assignAll(Map<String, String> declaredByKey) {
        List<Map.Entry<String, String>> sorted = declaredByKey.entrySet().stream()
                .sorted(Map.Entry.<String, String>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .toList();
        sorted.forEach(tool -> keepIdentifier(tool.getKey(), tool.getValue()));
        sorted.forEach(tool -> keepName(tool.getKey(), tool.getValue()));
        Map<String, AssignedToolName> assigned = new LinkedHashMap<>();
        sorted.forEach(tool -> assigned.put(tool.getKey(), assignOne(tool.getKey(), tool.getValue())));
        return assigned;
    }

    private void keepIdentifier(String key, String declared) {
        if (ToolIdentifiers.isIdentifier(declared) && taken.add(declared)) {
            identifiers.put(key, declared);
            if (BackendNameRules.isToolName(declared)) {
                names.put(key, declared);
            }
        }
    }

    private void keepName(String key, String declared) {
        if (!names.containsKey(key) && BackendNameRules.isToolName(declared) && taken.add(declared)) {
            names.put(key, declared);
        }
    }

    private AssignedToolName assignOne(String key, String declared) {
        String plainName = BackendNameRules.toToolName(declared);
        String plainIdentifier = ToolIdentifiers.toIdentifier(declared);
        String name = names.get(key);
        String identifier = identifiers.get(key);
        if (name == null) {
            name = takeFree(plainName);
            if (identifier == null && plainName.equals(plainIdentifier)) {
                identifier = name;
            }
        }
        return new AssignedToolName(name, identifier == null ? takeFree(plainIdentifier) : identifier);
    }

    /** Returns {@code plain}, or {@code plain} with the first suffix that makes it free. */
    private String takeFree(String plain) {
        String chosen = plain;
        while (!taken.add(chosen)) {
            String suffix = "_" + lastNumbers.merge(plain, 2, (last, first) -> last + 1);
            chosen = PlainText.truncate(plain, ToolIdentifiers.MAX_LENGTH - suffix.length()) + suffix;
        }
        return chosen;
    }
}
