package org.sallyport.toolgraph;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a tenant's executions have taught. Immutable.
 *
 * @param nodes the tools, those called most first
 * @param edges which tools were called after which, the most frequent first
 * @param purposes for what, the most frequent first
 */
public record ToolGraph(List<Node> nodes, List<Edge> edges, List<Purpose> purposes) {
    /** Nothing is known yet. */
    public static final ToolGraph EMPTY = new ToolGraph(List.of(), List.of(), List.of());

    /** A word that only one execution used may say who that was. */
    private static final long LEAST_USES = 2;

    private static final Comparator<Edge> MOST_FIRST = Comparator.comparingLong(Edge::calls)
            .reversed()
            .thenComparing(Edge::from)
            .thenComparing(Edge::to);

    public ToolGraph {
        nodes = List.copyOf(nodes);
        edges = List.copyOf(edges);
        purposes = List.copyOf(purposes);
    }

    /**
     * A tool.
     *
     * @param tool as {@code backend.tool}
     * @param failures of the calls
     * @param millis of all calls together
     * @param begins how often a script began with it
     */
    public record Node(String tool, long calls, long failures, long millis, long begins, Instant last) {
        /** Of the calls, from 0 to 1. */
        public double success() {
            return rate(calls, failures);
        }

        /** Milliseconds that a call takes. */
        public double meanMillis() {
            return calls == 0 ? 0 : (double) millis / calls;
        }
    }

    /**
     * A tool was called after another.
     *
     * @param failures of those calls of {@code to}
     */
    public record Edge(String from, String to, long calls, long failures) {
        /** Of those calls, from 0 to 1. */
        public double success() {
            return rate(calls, failures);
        }
    }

    /** In how many executions whose intent has that word the tool was called. */
    public record Purpose(String word, String tool, long executions) {}

    /**
     * A tool that is called next.
     *
     * @param share how often it, of all that was called there, from 0 to 1
     */
    public record Next(String tool, long calls, double share, double success) {}

    private static double rate(long calls, long failures) {
        return calls == 0 ? 0 : (double) (calls - failures) / calls;
    }

    /** Without the tools that are not {@code shown}. */
    public ToolGraph only(Predicate<String> shown) {
        return new ToolGraph(
                nodes.stream().filter(node -> shown.test(node.tool())).toList(),
                edges.stream()
                        .filter(edge -> shown.test(edge.from()) && shown.test(edge.to()))
                        .toList(),
                purposes.stream().filter(purpose -> shown.test(purpose.tool())).toList());
    }

    /** The {@code limit} tools that are called most, and what is between them. */
    public ToolGraph most(int limit) {
        return only(nodes.stream().limit(limit).map(Node::tool).collect(Collectors.toUnmodifiableSet())::contains);
    }

    /** A tool and at most {@code limit - 1} of those that come right before or after it, the most frequent. */
    public ToolGraph around(String tool, int limit) {
        Map<String, Long> weights = new HashMap<>();
        edges.forEach(edge -> {
            if (edge.from().equals(tool)) {
                weights.merge(edge.to(), edge.calls(), Long::sum);
            } else if (edge.to().equals(tool)) {
                weights.merge(edge.from(), edge.calls(), Long::sum);
            }
        });
        weights.remove(tool);
        Set<String> near = weights.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(Math.max(0, limit - 1))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(HashSet::new));
        near.add(tool);
        return only(near::contains);
    }

    /** What is usually called after {@code tool}, the most frequent first. */
    public List<Next> after(String tool) {
        List<Edge> all = edges.stream().filter(edge -> edge.from().equals(tool)).toList();
        long sum = all.stream().mapToLong(Edge::calls).sum();
        return all.stream()
                .sorted(MOST_FIRST)
                .map(edge -> new Next(edge.to(), edge.calls(), (double) edge.calls() / sum, edge.success()))
                .toList();
    }

    /** What scripts usually call first, the most frequent first. */
    public List<Next> beginnings() {
        long sum = nodes.stream().mapToLong(Node::begins).sum();
        return nodes.stream()
                .filter(node -> node.begins() > 0)
                .sorted(Comparator.comparingLong(Node::begins).reversed().thenComparing(Node::tool))
                .map(node -> new Next(node.tool(), node.begins(), (double) node.begins() / sum, node.success()))
                .toList();
    }

    /** Words of the intents for which each tool is called, the most frequent first; none for most tools. */
    public Map<String, List<String>> intents() {
        Map<String, List<String>> intents = new HashMap<>();
        purposes.stream()
                .filter(purpose -> purpose.executions() >= LEAST_USES)
                .forEach(purpose -> intents.computeIfAbsent(purpose.tool(), any -> new ArrayList<>())
                        .add(purpose.word()));
        return intents;
    }

    /** The tool, if it was ever called. */
    public Optional<Node> node(String tool) {
        return nodes.stream().filter(node -> node.tool().equals(tool)).findFirst();
    }
}
