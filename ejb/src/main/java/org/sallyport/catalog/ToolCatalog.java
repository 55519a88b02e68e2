package org.sallyport.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;
import org.sallyport.toolgraph.ToolGraph;

/**
 * The tools that are declared now, with the names that were assigned to them. A tool that cannot be called is in it
 * with the reason. Thread-safe; readers see one consistent list.
 */
public final class ToolCatalog {
    /** Maximum length of an input schema in characters. */
    public static final int MAX_SCHEMA_LENGTH = 512 * 1024;

    private static final int MAX_SUGGESTIONS = 3;

    private static final String NOT_HOSTED_METADATA = "{\"description\":\"Not hosted by this node.\"}";

    private volatile Map<ToolName, CatalogTool> tools = Map.of();
    private volatile List<CatalogTool> all = List.of();
    private volatile List<GuestTool> guestTools = List.of();
    private volatile Set<String> backends = Set.of();
    private volatile Map<String, List<GuestTool>> notHosted = Map.of();

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

    /** Adds the tools of a backend and replaces its earlier ones. A tool whose schema cannot be used is unusable. */
    public synchronized void putNamed(CatalogBackend backend, Collection<NamedTool> named) {
        if (backend.name().isEmpty() || backend.name().startsWith("$")) {
            throw new IllegalArgumentException("a backend cannot be named '" + backend.name() + "'");
        }
        Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
        next.keySet().removeIf(name -> name.backend().equals(backend.name()));
        for (NamedTool tool : named) {
            ToolName name = tool.spec().name();
            if (!name.backend().equals(backend.name())) {
                throw new IllegalArgumentException(name + " is no tool of backend " + backend.name());
            }
            next.put(name, CatalogTool.of(tool, backend));
        }
        set(next, withoutNotHosted(backend.name()));
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
        return CatalogTool.usabilityProblem(spec);
    }

    /** Removes a backend and its tools. */
    public synchronized void remove(String backend) {
        Map<ToolName, CatalogTool> next = new TreeMap<>(tools);
        boolean removed = next.keySet().removeIf(name -> name.backend().equals(backend));
        if (removed || notHosted.containsKey(backend)) {
            set(removed ? next : tools, withoutNotHosted(backend));
        }
    }

    /**
     * Records that a backend is configured, but that this node cannot call it.
     *
     * @param known its tools, as far as they are known
     */
    public synchronized void putNotHosted(CatalogBackend backend, Collection<NamedTool> known) {
        Map<String, List<GuestTool>> next = new TreeMap<>(notHosted);
        next.put(
                backend.name(),
                known.stream()
                        .map(tool -> new GuestTool(
                                backend.name(),
                                tool.spec().name().tool(),
                                NOT_HOSTED_METADATA,
                                backend.identifier(),
                                tool.identifier(),
                                tool.declaredName()))
                        .toList());
        set(tools, next);
    }

    private Map<String, List<GuestTool>> withoutNotHosted(String backend) {
        Map<String, List<GuestTool>> next = new TreeMap<>(notHosted);
        next.remove(backend);
        return next;
    }

    /** Returns whether a backend is configured that this node cannot call. */
    public boolean isNotHosted(String backend) {
        return notHosted.containsKey(backend);
    }

    private void set(Map<ToolName, CatalogTool> next, Map<String, List<GuestTool>> nextNotHosted) {
        notHosted = nextNotHosted;
        backends = next.keySet().stream().map(ToolName::backend).collect(Collectors.toUnmodifiableSet());
        guestTools = Stream.concat(
                        next.values().stream().map(CatalogTool::toGuestTool),
                        nextNotHosted.values().stream().flatMap(List::stream))
                .toList();
        if (next != tools) {
            tools = next;
            all = List.copyOf(next.values());
        }
    }

    /**
     * Returns all tools as scripts see them, including unusable tools and the known tools of configured backends that
     * this node cannot call; the same list until the catalog changes. Their names and identifiers are those of all
     * forms of scripts, whatever tools a script may call.
     */
    public List<GuestTool> guestTools() {
        return guestTools;
    }

    /** Returns the tool of that name; empty when there is none. */
    public Optional<CatalogTool> find(ToolName name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** Returns whether a backend of that name has tools. */
    public boolean hasBackend(String name) {
        return backends.contains(name);
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
