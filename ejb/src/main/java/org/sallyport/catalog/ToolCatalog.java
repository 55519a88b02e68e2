package org.sallyport.catalog;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;
import org.sallyport.toolgraph.ToolGraph;

/** The tools that are available now. Thread-safe; readers see one consistent list. */
public final class ToolCatalog {
    /** Maximum length of an input schema in characters. */
    public static final int MAX_SCHEMA_LENGTH = 512 * 1024;

    private static final int MAX_SUGGESTIONS = 3;

    private volatile Map<ToolName, CatalogTool> tools = Map.of();
    private volatile List<CatalogTool> all = List.of();
    private volatile Set<String> backends = Set.of();
    private volatile Map<String, List<ToolName>> notHosted = Map.of();
    private volatile List<ToolName> toolsNotHosted = List.of();

    /** Adds the tools of a backend and replaces its earlier ones. */
    public synchronized void put(CatalogBackend backend, Collection<ToolSpec> specs) {
        if (backend.name().isEmpty() || backend.name().startsWith("$")) {
            throw new IllegalArgumentException("a backend cannot be named '" + backend.name() + "'");
        }
        Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
        next.keySet().removeIf(name -> name.backend().equals(backend.name()));
        for (ToolSpec spec : specs) {
            if (!spec.name().backend().equals(backend.name())) {
                throw new IllegalArgumentException(spec.name() + " is no tool of backend " + backend.name());
            }
            next.put(spec.name(), CatalogTool.of(spec, backend));
        }
        set(next);
        removeNotHosted(backend.name());
    }

    /**
     * Returns whether {@code spec} can be added: its input schema has at most {@link #MAX_SCHEMA_LENGTH} characters and
     * can be compiled.
     */
    public static boolean accepts(ToolSpec spec) {
        if (spec.inputSchema().text().length() > MAX_SCHEMA_LENGTH) {
            return false;
        }
        try {
            CatalogTool.of(spec, new CatalogBackend(spec.name().backend(), "", ""));
            return true;
        } catch (RuntimeException | StackOverflowError e) {
            return false;
        }
    }

    /** Removes a backend and its tools. */
    public synchronized void remove(String backend) {
        Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
        if (next.keySet().removeIf(name -> name.backend().equals(backend))) {
            set(next);
        }
        removeNotHosted(backend);
    }

    /**
     * Records that a backend is configured, but that this node cannot call it.
     *
     * @param known the names of its tools, as far as they are known
     */
    public synchronized void putNotHosted(String backend, List<ToolName> known) {
        Map<String, List<ToolName>> next = new TreeMap<>(notHosted);
        next.put(backend, List.copyOf(known));
        setNotHosted(next);
    }

    private void removeNotHosted(String backend) {
        Map<String, List<ToolName>> next = new TreeMap<>(notHosted);
        if (next.remove(backend) != null) {
            setNotHosted(next);
        }
    }

    private void setNotHosted(Map<String, List<ToolName>> next) {
        notHosted = next;
        toolsNotHosted = next.values().stream().flatMap(List::stream).toList();
    }

    /** Returns whether a backend is configured that this node cannot call. */
    public boolean isNotHosted(String backend) {
        return notHosted.containsKey(backend);
    }

    /** Returns the known tools of configured backends that this node cannot call; the same list until they change. */
    public List<ToolName> toolsNotHosted() {
        return toolsNotHosted;
    }

    private void set(Map<ToolName, CatalogTool> next) {
        tools = next;
        backends = next.keySet().stream().map(ToolName::backend).collect(Collectors.toUnmodifiableSet());
        all = List.copyOf(next.values());
    }

    /** Returns the tool of that name; empty when there is none. */
    public Optional<CatalogTool> find(ToolName name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** Returns whether a backend of that name has tools. */
    public boolean hasBackend(String name) {
        return backends.contains(name);
    }

    /** Returns all tools, by name; the same list until the catalog changes. */
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
