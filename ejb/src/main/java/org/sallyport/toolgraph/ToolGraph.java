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
 * The usage of tools by a tenant's executions. Immutable.
 *
 * @param nodes the tools, most frequently called first
 * @param edges which tools were called after which, most frequent first
 * @param toolIntents the intents for which tools were called, most frequent first
 */
public record ToolGraph(List<ToolNode> nodes, List<ToolEdge> edges, List<ToolIntent> toolIntents) {
    /** A graph without data. */
    public static final ToolGraph EMPTY = new ToolGraph(List.of(), List.of(), List.of());

    /** A word that only one execution used might identify its submitter. */
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
     * @param failures number of failed calls
     * @param millis total duration of all calls in milliseconds
     * @param firstCalls how often it was the first call of a script
     */
    public record ToolNode(String tool, long calls, long failures, long millis, long firstCalls, Instant lastUsedAt) {
        /** Returns the share of successful calls, from 0 to 1. */
        public double successRate() {
            return rate(calls, failures);
        }

        /** Returns the mean duration of a call in milliseconds. */
        public double meanMillis() {
            return calls == 0 ? 0 : (double) millis / calls;
        }
    }

    /**
     * Calls of one tool after another.
     *
     * @param failures number of failed calls of {@code to} among them
     */
    public record ToolEdge(String from, String to, long calls, long failures) {
        /** Returns the share of successful calls among them, from 0 to 1. */
        public double successRate() {
            return rate(calls, failures);
        }
    }

    /** Number of executions that called the tool and have the word in their intent. */
    public record ToolIntent(String word, String tool, long executions) {}

    /**
     * A tool that is called next.
     *
     * @param share its share of all calls at this position, from 0 to 1
     */
    public record NextTool(String tool, long calls, double share, double successRate) {}

    private static double rate(long calls, long failures) {
        return calls == 0 ? 0 : (double) (calls - failures) / calls;
    }

    /** Returns the graph reduced to the tools that satisfy {@code shown}. */
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

    /** Returns the {@code limit} most frequently called tools and the edges between them. */
    public ToolGraph mostCalled(int limit) {
        return filterTools(
                nodes.stream().limit(limit).map(ToolNode::tool).collect(Collectors.toUnmodifiableSet())::contains);
    }

    /**
     * Returns a tool and at most {@code limit - 1} of the tools called right before or after it, the most frequent
     * ones.
     */
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

    /** Returns the tools that are called after {@code tool}, most frequent first. */
    public List<NextTool> nextTools(String tool) {
        List<ToolEdge> all =
                edges.stream().filter(edge -> edge.from().equals(tool)).toList();
        long sum = all.stream().mapToLong(ToolEdge::calls).sum();
        return all.stream()
                .sorted(BY_CALLS_DESCENDING)
                .map(edge -> new NextTool(edge.to(), edge.calls(), (double) edge.calls() / sum, edge.successRate()))
                .toList();
    }

    /** Returns the tools that scripts call first, most frequent first. */
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

    /** Returns the intent words of each tool, most frequent first; most tools have none. */
    public Map<String, List<String>> intentWords() {
        Map<String, List<String>> intents = new HashMap<>();
        toolIntents.stream()
                .filter(purpose -> purpose.executions() >= MIN_EXECUTIONS)
                .forEach(purpose -> intents.computeIfAbsent(purpose.tool(), any -> new ArrayList<>())
                        .add(purpose.word()));
        return intents;
    }

    /** Returns the tool; empty when it was never called. */
    public Optional<ToolNode> findNode(String tool) {
        return nodes.stream().filter(node -> node.tool().equals(tool)).findFirst();
    }
}
