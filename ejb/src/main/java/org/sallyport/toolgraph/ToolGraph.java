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
 * @param toolIntents for what, the most frequent first
 */
public record ToolGraph(List<ToolNode> nodes, List<ToolEdge> edges, List<ToolIntent> toolIntents) {
    /** Nothing is known yet. */
    public static final ToolGraph EMPTY = new ToolGraph(List.of(), List.of(), List.of());

    /** A word that only one execution used may say who that was. */
    private static final long MIN_EXECUTIONS = 2;

    private static final Comparator<ToolEdge> BY_CALLS_DESCENDING = Comparator.comparingLong(ToolEdge::calls)
            .reversed()
            .thenComparing(ToolEdge::from)
            .thenComparing(ToolEdge::to);

    public ToolGraph {
        nodes = List.copyOf(nodes);
        edges = List.copyOf(edges);
        toolIntents = List.copyOf(toolIntents);
    }

    /**
     * A tool.
     *
     * @param tool as {@code backend.tool}
     * @param failures of the calls
     * @param millis of all calls together
     * @param firstCalls how often a script began with it
     */
    public record ToolNode(String tool, long calls, long failures, long millis, long firstCalls, Instant lastUsedAt) {
        /** Of the calls, from 0 to 1. */
        public double successRate() {
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
    public record ToolEdge(String from, String to, long calls, long failures) {
        /** Of those calls, from 0 to 1. */
        public double successRate() {
            return rate(calls, failures);
        }
    }

    /** In how many executions whose intent has that word the tool was called. */
    public record ToolIntent(String word, String tool, long executions) {}

    /**
     * A tool that is called next.
     *
     * @param share how often it, of all that was called there, from 0 to 1
     */
    public record NextTool(String tool, long calls, double share, double successRate) {}

    private static double rate(long calls, long failures) {
        return calls == 0 ? 0 : (double) (calls - failures) / calls;
    }

    /** Without the tools that are not {@code shown}. */
    public ToolGraph filterTools(Predicate<String> shown) {
        return new ToolGraph(
                nodes.stream().filter(node -> shown.test(node.tool())).toList(),
                edges.stream()
                        .filter(edge -> shown.test(edge.from()) && shown.test(edge.to()))
                        .toList(),
                toolIntents.stream()
                        .filter(purpose -> shown.test(purpose.tool()))
                        .toList());
    }

    /** The {@code limit} tools that are called most, and what is between them. */
    public ToolGraph mostCalled(int limit) {
        return filterTools(
                nodes.stream().limit(limit).map(ToolNode::tool).collect(Collectors.toUnmodifiableSet())::contains);
    }

    /** A tool and at most {@code limit - 1} of those that come right before or after it, the most frequent. */
    public ToolGraph neighborhood(String tool, int limit) {
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
        return filterTools(near::contains);
    }

    /** What is usually called after {@code tool}, the most frequent first. */
    public List<NextTool> nextTools(String tool) {
        List<ToolEdge> all =
                edges.stream().filter(edge -> edge.from().equals(tool)).toList();
        long sum = all.stream().mapToLong(ToolEdge::calls).sum();
        return all.stream()
                .sorted(BY_CALLS_DESCENDING)
                .map(edge -> new NextTool(edge.to(), edge.calls(), (double) edge.calls() / sum, edge.successRate()))
                .toList();
    }

    /** What scripts usually call first, the most frequent first. */
    public List<NextTool> firstTools() {
        long sum = nodes.stream().mapToLong(ToolNode::firstCalls).sum();
        return nodes.stream()
                .filter(node -> node.firstCalls() > 0)
                .sorted(Comparator.comparingLong(ToolNode::firstCalls)
                        .reversed()
                        .thenComparing(ToolNode::tool))
                .map(node -> new NextTool(
                        node.tool(), node.firstCalls(), (double) node.firstCalls() / sum, node.successRate()))
                .toList();
    }

    /** Words of the intents for which each tool is called, the most frequent first; none for most tools. */
    public Map<String, List<String>> intentWords() {
        Map<String, List<String>> intents = new HashMap<>();
        toolIntents.stream()
                .filter(purpose -> purpose.executions() >= MIN_EXECUTIONS)
                .forEach(purpose -> intents.computeIfAbsent(purpose.tool(), any -> new ArrayList<>())
                        .add(purpose.word()));
        return intents;
    }

    /** The tool, if it was ever called. */
    public Optional<ToolNode> findNode(String tool) {
        return nodes.stream().filter(node -> node.tool().equals(tool)).findFirst();
    }
}
