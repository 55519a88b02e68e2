package org.sallyport.sandbox;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Maps the texts by which scripts name tools to the tools of a toolbox. All forms of scripts use this map, so that a
 * text denotes the same tool in a member access, in brackets, in a JSON call, in a mock and in a query of the catalog.
 *
 * <p>A backend is denoted by its identifier or its name, a tool by its identifier, its name or the name by which it is
 * declared. If a text denotes several tools, the tool whose identifier it is takes precedence, then the tool whose name
 * it is. Thread-safe.
 */
public final class ToolNameMap {
    /** Prefixes that mean all tools, as in {@code tools.backend.tool}. */
    private static final List<String> ROOT_PREFIXES = List.of("tools.", "mcp.");

    private final Map<String, List<GuestTool>> toolsByBackend = new TreeMap<>();
    private final Map<String, String> backendByText = new TreeMap<>();
    private final Set<GuestTool> granted;
    private final Map<String, Map<String, GuestTool>> toolByText = new ConcurrentHashMap<>();

    private ToolNameMap(Toolbox toolbox) {
        // By identity, because comparing tools would compare their schemas.
        granted = Collections.newSetFromMap(new IdentityHashMap<>());
        granted.addAll(toolbox.tools());
        Map<String, String> identifiers = new TreeMap<>(toolbox.backends());
        for (List<GuestTool> tools : List.of(toolbox.tools(), toolbox.ungrantedTools())) {
            for (GuestTool tool : tools) {
                toolsByBackend
                        .computeIfAbsent(tool.backend(), name -> new ArrayList<>())
                        .add(tool);
                identifiers.put(tool.backend(), tool.backendId());
            }
        }
        identifiers.forEach((name, identifier) -> backendByText.putIfAbsent(identifier, name));
        identifiers.keySet().forEach(name -> backendByText.putIfAbsent(name, name));
    }

    /**
     * Returns the map of a toolbox. Its ungranted tools and its backends without tools are in the map, so that no
     * granted tool gets their texts.
     */
    public static ToolNameMap of(Toolbox toolbox) {
        return new ToolNameMap(toolbox);
    }

    /** Returns the name of each backend by the texts that denote it. */
    public Map<String, String> backends() {
        return Collections.unmodifiableMap(backendByText);
    }

    /** Returns the name of the backend that {@code text} denotes; empty if there is none. */
    public Optional<String> findBackend(String text) {
        return Optional.ofNullable(backendByText.get(text));
    }

    /** Returns the tools of the backend named {@code backend} by the texts that denote them, granted or not. */
    public Map<String, GuestTool> tools(String backend) {
        List<GuestTool> own = toolsByBackend.get(backend);
        // An unknown name is not stored, because scripts choose it.
        return own == null ? Map.of() : toolByText.computeIfAbsent(backend, name -> byText(own));
    }

    private static Map<String, GuestTool> byText(List<GuestTool> tools) {
        Map<String, GuestTool> byText = new HashMap<>();
        tools.forEach(tool -> byText.putIfAbsent(tool.toolId(), tool));
        tools.forEach(tool -> byText.putIfAbsent(tool.tool(), tool));
        tools.forEach(tool -> byText.putIfAbsent(tool.declaredName(), tool));
        return Collections.unmodifiableMap(byText);
    }

    /**
     * Returns the tool that {@code qualified} denotes: a backend and a tool with a dot between them. An unknown tool is
     * returned with the names in the text.
     */
    public GuestTool resolve(String qualified) {
        int dot = qualified.indexOf('.');
        String head = qualified.substring(0, dot);
        String tail = qualified.substring(dot + 1);
        String backend = backendByText.getOrDefault(head, head);
        GuestTool known = tools(backend).get(tail);
        return known == null ? new GuestTool(backend, tail) : known;
    }

    /** Returns whether {@code tool} is one of this map that the script may call. */
    public boolean isGranted(GuestTool tool) {
        return granted.contains(tool);
    }

    /**
     * Returns the granted tool that {@code name} denotes: a backend and a tool with a dot between them, or a tool
     * alone, which is searched in all backends: first as an identifier, then as a name, then as a declared name, each
     * in the order of the backends' names. Either may follow {@code tools.} or {@code mcp.}.
     */
    public Optional<GuestTool> findGranted(String name) {
        return find(name)
                .or(() -> ROOT_PREFIXES.stream()
                        .filter(name::startsWith)
                        .findFirst()
                        .flatMap(prefix -> find(name.substring(prefix.length()))));
    }

    private Optional<GuestTool> find(String name) {
        int dot = name.indexOf('.');
        if (dot > 0 && backendByText.containsKey(name.substring(0, dot))) {
            return Optional.of(resolve(name)).filter(granted::contains);
        }
        return toolsByBackend.keySet().stream()
                .flatMap(backend -> Optional.ofNullable(tools(backend).get(name)).stream())
                .filter(granted::contains)
                .min(Comparator.comparingInt(tool -> tool.texts().indexOf(name)));
    }

    /** Returns the backends that have a granted tool, in the order of their names, as identifiers by name. */
    public Map<String, String> grantedBackends() {
        Map<String, String> identifiers = new TreeMap<>();
        granted.forEach(tool -> identifiers.put(tool.backend(), tool.backendId()));
        return identifiers;
    }

    /** Returns the granted tools of the backend named {@code backend}, in the order of their names. */
    public List<GuestTool> grantedTools(String backend) {
        return toolsByBackend.getOrDefault(backend, List.of()).stream()
                .filter(granted::contains)
                .sorted(Comparator.comparing(GuestTool::tool))
                .toList();
    }
}
