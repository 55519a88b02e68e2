package org.sallyport.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.GuestToolSnapshot;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;
import org.sallyport.toolgraph.ToolGraph;

/**
 * The tools that are declared now, with the names that were assigned to them, and the names of earlier tools and of
 * backends without tools. A tool that cannot be called is in it with the reason. Thread-safe; readers see one
 * consistent list.
 */
public final class ToolCatalog {
    /** Maximum length of an input schema in characters. */
    public static final int MAX_SCHEMA_LENGTH = 512 * 1024;

    private static final int MAX_SUGGESTIONS = 3;

    private static final String NOT_HOSTED_METADATA = "{\"description\":\"Not hosted by this node.\"}";

    private volatile Map<ToolName, CatalogTool> tools = Map.of();
    private volatile List<CatalogTool> all = List.of();
    private volatile GuestToolSnapshot guestTools = new GuestToolSnapshot(List.of(), List.of(), Map.of());
    /** Names and identifiers of all backends. */
    private volatile Set<String> backendTexts = Set.of();

    private volatile Map<String, BackendEntry> backends = Map.of();
    /** Identifiers of configured backends by their names. Guarded by this. */
    private Map<String, String> configured = Map.of();

    /**
     * A backend of the catalog.
     *
     * @param hosted whether this node can call it
     * @param tools its known tools, if this node cannot call it
     * @param retired its earlier tools, which keep their names
     */
    private record BackendEntry(
            CatalogBackend backend, boolean hosted, List<GuestTool> tools, List<GuestTool> retired) {}

    /**
     * Adds the tools of a backend under their names and replaces its earlier ones. Identifiers are assigned from these
     * tools alone.
     */
    public void put(CatalogBackend backend, Collection<ToolSpec> specs) {
        Map<String, String> declared = new TreeMap<>();
        specs.forEach(spec -> declared.put(spec.name().tool(), spec.name().tool()));
        Map<String, AssignedToolName> names = ToolNameAssigner.assign(List.of(), declared);
        List<NamedTool> named = new ArrayList<>();
        for (ToolSpec spec : specs) {
            String name = spec.name().tool();
            AssignedToolName assigned = names.get(name);
            named.add(new NamedTool(spec, assigned == null ? name : assigned.identifier(), name, Optional.empty()));
        }
        putNamed(backend, named);
    }

    /** Adds the tools of a backend, which had no others before, and replaces its earlier ones. */
    public Map<String, String> putNamed(CatalogBackend backend, Collection<NamedTool> named) {
        return putNamed(backend, named, List.of());
    }

    /**
     * Adds the tools of a backend and replaces its earlier ones. A tool whose schema cannot be used is unusable.
     *
     * @param retired the tools that its server no longer declares
     * @return why tools cannot be called, by their names without the backend's
     */
    public synchronized Map<String, String> putNamed(
            CatalogBackend backend, Collection<NamedTool> named, Collection<PinnedToolDefinition> retired) {
        if (backend.name().isEmpty() || backend.name().startsWith("$")) {
            throw new IllegalArgumentException("a backend cannot be named '" + backend.name() + "'");
        }
        Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
        next.keySet().removeIf(name -> name.backend().equals(backend.name()));
        Map<String, String> problems = new TreeMap<>();
        for (NamedTool tool : named) {
            ToolName name = tool.spec().name();
            if (!name.backend().equals(backend.name())) {
                throw new IllegalArgumentException(name + " is no tool of backend " + backend.name());
            }
            CatalogTool added = CatalogTool.of(tool, backend);
            next.put(name, added);
            added.unusable().ifPresent(problem -> problems.put(name.tool(), problem));
        }
        Map<String, BackendEntry> entries = new TreeMap<>(backends);
        entries.put(backend.name(), new BackendEntry(backend, true, List.of(), retired(backend, retired)));
        publish(next, entries);
        return problems;
    }

    private static List<GuestTool> retired(CatalogBackend backend, Collection<PinnedToolDefinition> retired) {
        return retired.stream()
                .map(tool ->
                        guestTool(backend, "{}", tool.names(), tool.definition().declaredName()))
                .toList();
    }

    private static GuestTool guestTool(
            CatalogBackend backend, String metadata, AssignedToolName names, String declaredName) {
        return new GuestTool(
                backend.name(), names.name(), metadata, backend.identifier(), names.identifier(), declaredName);
    }

    /** Returns whether a tool that is declared so can be called. */
    public static boolean accepts(ToolSpec spec) {
        return findUsabilityProblem(spec).isEmpty();
    }

    /**
     * Returns why a tool that is declared so cannot be called: its input schema has more than {@link
     * #MAX_SCHEMA_LENGTH} characters or cannot be compiled; empty when the tool can be called.
     */
    public static Optional<String> findUsabilityProblem(ToolSpec spec) {
        String name = spec.name().tool();
        return CatalogTool.of(
                        new NamedTool(spec, name, name, Optional.empty()),
                        new CatalogBackend(spec.name().backend(), "", ""))
                .unusable();
    }

    /**
     * Replaces the configured backends, whose names and identifiers denote no other backend, also while they have no
     * tools.
     *
     * @param identifiers their identifiers by their names
     */
    public synchronized void setConfiguredBackends(Map<String, String> identifiers) {
        if (!configured.equals(identifiers)) {
            configured = Map.copyOf(identifiers);
            publish(tools, backends);
        }
    }

    /** Removes a backend and its tools. A configured backend keeps its name and identifier. */
    public synchronized void remove(String backend) {
        if (backends.containsKey(backend)) {
            Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
            boolean removed = next.keySet().removeIf(name -> name.backend().equals(backend));
            Map<String, BackendEntry> entries = new TreeMap<>(backends);
            entries.remove(backend);
            publish(removed ? next : tools, entries);
        }
    }

    /**
     * Records that a backend is configured, but that this node cannot call it.
     *
     * @param known its tools, as far as they are known, including those that its server no longer declares
     */
    public synchronized void putNotHosted(CatalogBackend backend, Collection<PinnedToolDefinition> known) {
        Map<String, BackendEntry> entries = new TreeMap<>(backends);
        entries.put(
                backend.name(),
                new BackendEntry(
                        backend,
                        false,
                        known.stream()
                                .filter(PinnedToolDefinition::available)
                                .map(tool -> guestTool(
                                        backend,
                                        NOT_HOSTED_METADATA,
                                        tool.names(),
                                        tool.definition().declaredName()))
                                .toList(),
                        retired(
                                backend,
                                known.stream().filter(tool -> !tool.available()).toList())));
        publish(tools, entries);
    }

    /** Returns whether a backend is configured that this node cannot call. */
    public boolean isNotHosted(String backend) {
        BackendEntry entry = backends.get(backend);
        return entry != null && !entry.hosted();
    }

    private void publish(Map<ToolName, CatalogTool> nextTools, Map<String, BackendEntry> entries) {
        Map<String, String> identifiers = new TreeMap<>(configured);
        entries.forEach((name, entry) -> identifiers.put(name, entry.backend().identifier()));
        Set<String> texts = new HashSet<>(identifiers.keySet());
        texts.addAll(identifiers.values());
        backends = entries;
        backendTexts = texts;
        guestTools = new GuestToolSnapshot(
                Stream.concat(
                                nextTools.values().stream().map(CatalogTool::toGuestTool),
                                entries.values().stream().flatMap(entry -> entry.tools().stream()))
                        .toList(),
                entries.values().stream()
                        .flatMap(entry -> entry.retired().stream())
                        .toList(),
                identifiers);
        if (nextTools != tools) {
            tools = nextTools;
            all = List.copyOf(nextTools.values());
        }
    }

    /**
     * Returns all tools as scripts see them, including unusable tools and the known tools of configured backends that
     * this node cannot call, and all names that are taken; the same object until the catalog changes. Their names and
     * identifiers are those of all forms of scripts, whatever tools a script may call.
     */
    public GuestToolSnapshot guestTools() {
        return guestTools;
    }

    /** Returns the tool of that name; empty when there is none. */
    public Optional<CatalogTool> find(ToolName name) {
        return Optional.ofNullable(tools.get(name));
    }

    /**
     * Returns the tool of a backend that is declared by {@code declaredName} under any assigned name; empty
     * when there is none.
     */
    public Optional<CatalogTool> findDeclared(String backend, String declaredName) {
        return find(new ToolName(backend, declaredName))
                .filter(tool -> tool.declaredName().equals(declaredName))
                .or(() -> all.stream()
                        .filter(tool -> tool.declaredName().equals(declaredName)
                                && tool.backend().name().equals(backend))
                        .findFirst());
    }

    /** Returns whether there is a backend of that name, with or without tools. */
    public boolean hasBackend(String name) {
        return guestTools.backends().containsKey(name);
    }

    /** Returns whether scripts can mean a backend by {@code text}: whether it is the name or identifier of one. */
    public boolean denotesBackend(String text) {
        return backendTexts.contains(text);
    }

    /** Returns all tools, including unusable ones, by name; the same list until the catalog changes. */
    public List<CatalogTool> all() {
        return all;
    }

    /**
     * Returns the tools whose name or description contains every word of {@code words}, ignoring case; matches by name
     * come first.
     */
    public List<CatalogTool> search(String words) {
        return search(words, ToolGraph.EMPTY);
    }

    /** Also finds tools that {@code graph} links to intents with these words, and orders equal matches by usage. */
    public List<CatalogTool> search(String words, ToolGraph graph) {
        return ToolSearch.find(all, words, graph);
    }

    /** Returns the names closest to {@code wanted}, best first, for error messages about misspelled names. */
    public List<ToolName> nearest(ToolName wanted) {
        return nearest(wanted, name -> true);
    }

    /** Returns the closest names among those that satisfy {@code among}. */
    public List<ToolName> nearest(ToolName wanted, Predicate<ToolName> among) {
        String text = wanted.toString();
        int tolerable = Math.max(3, text.length() / 2);
        record Candidate(ToolName name, int distance) {}
        return tools.keySet().stream()
                .filter(among)
                .filter(name -> Math.abs(name.toString().length() - text.length()) <= tolerable)
                .map(name -> new Candidate(name, LevenshteinDistance.between(text, name.toString())))
                .filter(candidate -> candidate.distance() <= tolerable)
                .sorted(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
                .limit(MAX_SUGGESTIONS)
                .map(Candidate::name)
                .toList();
    }
}
