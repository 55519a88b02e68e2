package org.sallyport.sandbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a script finds to work with; many sessions share one.
 *
 * @param tools the tools it sees
 * @param ungrantedTools tools that it does not see, but by whose name or identifier it could mean another one: they keep a name
 *     from leading to another tool only because this one was not granted
 * @param modules the library modules it may ask for
 */
public record Toolbox(List<GuestTool> tools, List<GuestTool> ungrantedTools, List<LibraryModule> modules) {
    public static final Toolbox EMPTY = new Toolbox(List.of(), List.of());

    public Toolbox {
        tools = List.copyOf(tools);
        ungrantedTools = List.copyOf(ungrantedTools);
        modules = List.copyOf(modules);
    }

    /** All tools there are. */
    public Toolbox(List<GuestTool> tools, List<LibraryModule> modules) {
        this(tools, List.of(), modules);
    }

    /** Of {@code all} tools there are, with their {@link ToolIdentifiers#withIdentifiers identifiers}, those that a script may call. */
    public static Toolbox of(List<GuestTool> all, Predicate<GuestTool> granted, List<LibraryModule> modules) {
        List<GuestTool> tools = new ArrayList<>();
        List<GuestTool> rest = new ArrayList<>();
        all.forEach(tool -> (granted.test(tool) ? tools : rest).add(tool));
        Set<String> owned = new HashSet<>();
        Set<String> backends = new HashSet<>();
        Set<List<String>> names = new HashSet<>();
        for (GuestTool tool : tools) {
            owned.add(tool.backend());
            backends.add(tool.backend());
            backends.add(tool.backendId());
            names.add(List.of(tool.backend(), tool.tool()));
            names.add(List.of(tool.backend(), tool.toolId()));
        }
        // One tool is enough to keep the names of its backend.
        List<GuestTool> others = rest.stream()
                .filter(tool -> names.contains(List.of(tool.backend(), tool.tool()))
                        || names.contains(List.of(tool.backend(), tool.toolId()))
                        || (backends.contains(tool.backend()) || backends.contains(tool.backendId()))
                                && owned.add(tool.backend()))
                .toList();
        return new Toolbox(tools, others, modules);
    }
}
