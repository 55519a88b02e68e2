package org.sallyport.sandbox;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All tools that exist at one moment, as scripts see them, and all names that are taken.
 *
 * @param tools the existing tools, including those that cannot be called
 * @param retired tools that existed earlier and keep their names: a name of one denotes no other tool
 * @param backends the identifier of each existing backend by its name, including backends without tools
 */
public record GuestToolSnapshot(List<GuestTool> tools, List<GuestTool> retired, Map<String, String> backends) {
    public GuestToolSnapshot {
        tools = List.copyOf(tools);
        retired = List.copyOf(retired);
        backends = Map.copyOf(backends);
    }

    /** Creates a snapshot in which no names are taken except those of {@code tools} and their backends. */
    public static GuestToolSnapshot of(List<GuestTool> tools) {
        Map<String, String> backends = new TreeMap<>();
        tools.forEach(tool -> backends.put(tool.backend(), tool.backendId()));
        return new GuestToolSnapshot(tools, List.of(), backends);
    }

    /** Returns the toolbox of a script that may call all tools and load no modules. */
    public Toolbox toToolbox() {
        return new Toolbox(tools, retired, backends, List.of());
    }
}
