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

/** The tools known now. Thread-safe; readers see one consistent list. */
public final class ToolCatalog {
    /** The most characters of a schema that arguments are checked with. */
    public static final int MAX_SCHEMA_LENGTH = 512 * 1024;

    private static final int MAX_SUGGESTIONS = 3;

    private volatile Map<ToolName, CatalogTool> tools = Map.of();
    private volatile List<CatalogTool> all = List.of();
    private volatile Set<String> backends = Set.of();

    /** Adds the tools of a backend, in place of those it had. */
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
    }

    /** Whether {@code spec} can be put: its schemas are none otherwise, or nothing that arguments can be checked with. */
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

    /** Forgets a backend and its tools. */
    public synchronized void remove(String backend) {
        Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
        if (next.keySet().removeIf(name -> name.backend().equals(backend))) {
            set(next);
        }
    }

    private void set(Map<ToolName, CatalogTool> next) {
        tools = next;
        backends = next.keySet().stream().map(ToolName::backend).collect(Collectors.toUnmodifiableSet());
        all = List.copyOf(next.values());
    }

    /** The tool of that name. */
    public Optional<CatalogTool> find(ToolName name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** Whether a backend of that name has tools. */
    public boolean hasBackend(String name) {
        return backends.contains(name);
    }

    /** All tools, by name; the same list until the catalog changes. */
    public List<CatalogTool> all() {
        return all;
    }

    /** The tools whose name or description has every word of {@code words}, whatever the case; those named so first. */
    public List<CatalogTool> search(String words) {
        return search(words, ToolGraph.EMPTY);
    }

    /** The same, also those that {@code graph} knows to be called for such intents; among equals by what it says of their use. */
    public List<CatalogTool> search(String words, ToolGraph graph) {
        return ToolSearch.find(all, words, graph);
    }

    /** The names most like {@code wanted}, best first: for messages to somebody who misspelt one. */
    public List<ToolName> nearest(ToolName wanted) {
        return nearest(wanted, name -> true);
    }

    /** Those of {@code among} alone. */
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
