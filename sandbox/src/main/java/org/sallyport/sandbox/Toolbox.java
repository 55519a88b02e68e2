package org.sallyport.sandbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The tools and modules that a script can use. Many sessions share one toolbox.
 *
 * @param tools the tools that the script can call
 * @param ungrantedTools tools that the script cannot see, but whose name or identifier it could use for another tool;
 *     they prevent a name from resolving to another tool only because this tool is not granted
 * @param modules the library modules that the script may load
 */
public record Toolbox(List<GuestTool> tools, List<GuestTool> ungrantedTools, List<LibraryModule> modules) {
    public static final Toolbox EMPTY = new Toolbox(List.of(), List.of());

    public Toolbox {
        tools = List.copyOf(tools);
        ungrantedTools = List.copyOf(ungrantedTools);
        modules = List.copyOf(modules);
    }

    /** Creates a toolbox in which all existing tools are granted. */
    public Toolbox(List<GuestTool> tools, List<LibraryModule> modules) {
        this(tools, List.of(), modules);
    }

    /** Creates a toolbox with the granted tools of {@code all}. */
    public static Toolbox of(List<GuestTool> all, Predicate<GuestTool> granted, List<LibraryModule> modules) {
        List<GuestTool> tools = new ArrayList<>();
        List<GuestTool> ungranted = new ArrayList<>();
        all.forEach(tool -> (granted.test(tool) ? tools : ungranted).add(tool));
        Set<String> owned = new HashSet<>();
        Set<String> backends = new HashSet<>();
        Set<List<String>> names = new HashSet<>();
        for (GuestTool tool : tools) {
            owned.add(tool.backend());
            backends.add(tool.backend());
            backends.add(tool.backendId());
            tool.texts().forEach(text -> names.add(List.of(tool.backend(), text)));
        }
        // One ungranted tool is enough to reserve the names of its backend.
        List<GuestTool> others = ungranted.stream()
                .filter(tool -> tool.texts().stream().anyMatch(text -> names.contains(List.of(tool.backend(), text)))
                        || (backends.contains(tool.backend()) || backends.contains(tool.backendId()))
                                && owned.add(tool.backend()))
                .toList();
        return new Toolbox(tools, others, modules);
    }
}
