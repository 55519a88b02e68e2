package org.sallyport.sandbox;

import java.util.List;

/**
 * What a script finds to work with; many sessions share one.
 *
 * @param tools the tools it sees
 * @param modules the library modules it may ask for
 */
public record Toolbox(List<GuestTool> tools, List<LibraryModule> modules) {
    public static final Toolbox EMPTY = new Toolbox(List.of(), List.of());

    public Toolbox {
        tools = List.copyOf(tools);
        modules = List.copyOf(modules);
    }
}
