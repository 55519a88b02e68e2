package org.sallyport.catalog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tools of a backend after its server declared its tools.
 *
 * @param tools all tools, by name, including those that the server no longer declares
 * @param omitted how many new tools were not recorded, because the backend would have too many
 */
public record RecordedTools(List<PinnedToolDefinition> tools, int omitted) {
    public RecordedTools {
        tools = List.copyOf(tools);
    }

    /**
     * Compares the tools that a server declares with the recorded ones. A tool is recognized by its name on the server;
     * of several definitions with the same one, the first is used.
     *
     * @param before the recorded tools
     * @param maxTools maximum number of tools; further new tools are omitted, in the order of their declaration
     */
    public static RecordedTools of(List<PinnedToolDefinition> before, List<ToolDefinition> declared, int maxTools) {
        Map<String, ToolDefinition> now = new LinkedHashMap<>();
        declared.forEach(tool -> now.putIfAbsent(tool.originalName(), tool));
        List<PinnedToolDefinition> tools = new ArrayList<>();
        List<AssignedToolName> existing = new ArrayList<>();
        for (PinnedToolDefinition tool : before) {
            ToolDefinition definition = now.remove(tool.definition().originalName());
            existing.add(tool.names());
            tools.add(definition == null ? tool.asUnavailable() : tool.withDeclaration(definition));
        }
        Map<String, String> declaredNames = new LinkedHashMap<>();
        now.values().stream()
                .limit(Math.max(0, maxTools - before.size()))
                .forEach(tool -> declaredNames.put(tool.originalName(), tool.name()));
        Map<String, AssignedToolName> assigned = ToolNameAssigner.assign(existing, declaredNames);
        for (ToolDefinition definition : now.values()) {
            AssignedToolName names = assigned.get(definition.originalName());
            if (names != null) {
                tools.add(PinnedToolDefinition.firstSeen(names, definition));
            }
        }
        tools.sort(Comparator.comparing(PinnedToolDefinition::name));
        return new RecordedTools(tools, now.size() - assigned.size());
    }
}
