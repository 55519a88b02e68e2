package org.sallyport.sandbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The tools and modules that a script can use. Many sessions share one toolbox.
 *
 * @param tools the tools that the script can call
 * @param ungrantedTools tools that the script cannot see, but whose name or identifier it could use for another tool;
 *     they prevent a name from resolving to another tool only because this tool is not granted or no longer exists
 * @param backends the identifiers, by name, of backends whose name or identifier the script could use for another
 *     backend; those of the backends of {@code tools} may be absent
 * @param modules the library modules that the script may load
 */
public record Toolbox(
        List<GuestTool> tools,
        List<GuestTool> ungrantedTools,
        Map<String, String> backends,
        List<LibraryModule> modules) {
    public static final Toolbox EMPTY = new Toolbox(List.of(), List.of());

    public Toolbox {
        tools = List.copyOf(tools);
        ungrantedTools = List.copyOf(ungrantedTools);
        backends = Map.copyOf(backends);
        modules = List.copyOf(modules);
    }

    /** Creates a toolbox in which all existing tools are granted. */
    public Toolbox(List<GuestTool> tools, List<LibraryModule> modules) {
        this(tools, List.of(), Map.of(), modules);
    }

    /** Creates a toolbox with the granted tools of {@code all}. */
    public static Toolbox of(GuestToolSnapshot all, Predicate<GuestTool> granted, List<LibraryModule> modules) {
        List<GuestTool> tools = new ArrayList<>();
        List<GuestTool> ungranted = new ArrayList<>();
        all.tools().forEach(tool -> (granted.test(tool) ? tools : ungranted).add(tool));
        ungranted.addAll(all.retired());
        Set<String> backendTexts = new HashSet<>();
        Map<String, Set<String>> textsByBackend = new HashMap<>();
        for (GuestTool tool : tools) {
            backendTexts.add(tool.backend());
            backendTexts.add(tool.backendId());
            textsByBackend
                    .computeIfAbsent(tool.backend(), backend -> new HashSet<>())
                    .addAll(tool.texts());
        }
        List<GuestTool> others = ungranted.stream()
                .filter(tool -> {
                    Set<String> texts = textsByBackend.getOrDefault(tool.backend(), Set.of());
                    return tool.texts().stream().anyMatch(texts::contains);
                })
                .toList();
        Map<String, String> backends = new HashMap<>(all.backends());
        backends.entrySet()
                .removeIf(backend -> textsByBackend.containsKey(backend.getKey())
                        || !(backendTexts.contains(backend.getKey()) || backendTexts.contains(backend.getValue())));
        return new Toolbox(tools, others, backends, modules);
    }
}
