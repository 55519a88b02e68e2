package org.sallyport.catalog;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.toolgraph.ToolGraph;

/**
 * Finds tools by words. Every word must be in a tool's name, its description, or the intents for which it is called. Those named so come first,
 * then those described so; among equals those that are called right before or after the best of them, and those that are called most.
 */
final class ToolSearch {
    /** Shorter ones would be the beginning of too much. */
    private static final int SHORTEST_STEM = 4;

    private final List<String> wanted;
    private final ToolGraph graph;
    private final Map<String, List<String>> intents;

    /** A tool that was found, and how well: the less the better. */
    private record Hit(CatalogTool tool, int place) {
        String name() {
            return tool.spec().name().toString();
        }
    }

    private ToolSearch(List<String> wanted, ToolGraph graph) {
        this.wanted = wanted;
        this.graph = graph;
        this.intents = graph.intents();
    }

    /** The tools that have each of {@code words}, whatever the case, the best first; all of them when there is no word. */
    static List<CatalogTool> find(List<CatalogTool> tools, String words, ToolGraph graph) {
        List<String> wanted = Arrays.stream(words.toLowerCase(Locale.ROOT).split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
        return wanted.isEmpty() ? tools : new ToolSearch(wanted, graph).find(tools);
    }

    private List<CatalogTool> find(List<CatalogTool> tools) {
        List<Hit> hits = tools.stream()
                .map(tool -> new Hit(tool, place(tool)))
                .filter(hit -> hit.place() >= 0)
                .toList();
        int best = hits.stream().mapToInt(Hit::place).min().orElse(0);
        Map<String, Double> weights = weights(
                hits.stream().filter(hit -> hit.place() == best).map(Hit::name).collect(Collectors.toSet()));
        return hits.stream()
                .sorted(Comparator.comparingInt(Hit::place)
                        .thenComparing(hit -> weights.getOrDefault(hit.name(), 0.0), Comparator.<Double>reverseOrder()))
                .map(Hit::tool)
                .toList();
    }

    /** Where the words are: 0 in its name, 1 in its description too, 2 in intents too; -1 when one of them is nowhere. */
    private int place(CatalogTool tool) {
        String name = tool.spec().name().toString().toLowerCase(Locale.ROOT);
        String description = tool.spec().description().toLowerCase(Locale.ROOT);
        List<String> meant = intents.getOrDefault(tool.spec().name().toString(), List.of());
        int place = 0;
        for (String word : wanted) {
            if (name.contains(word)) {
                continue;
            } else if (description.contains(word)) {
                place = Math.max(place, 1);
            } else if (meant.stream().anyMatch(each -> isLike(each, word))) {
                place = 2;
            } else {
                return -1;
            }
        }
        return place;
    }

    /** "Invoices" are meant by "invoice", and the other way round. */
    private static boolean isLike(String one, String other) {
        return one.equals(other)
                || Math.min(one.length(), other.length()) >= SHORTEST_STEM
                        && (one.startsWith(other) || other.startsWith(one));
    }

    /** What a tool's use says for it: its share of all calls, and of what comes right before and after {@code best}. */
    private Map<String, Double> weights(Set<String> best) {
        Map<String, Double> weights = new HashMap<>();
        double calls = graph.nodes().stream().mapToLong(ToolGraph.Node::calls).sum();
        graph.nodes().forEach(node -> weights.merge(node.tool(), node.calls() / calls, Double::sum));
        Map<String, Double> from = new HashMap<>();
        Map<String, Double> to = new HashMap<>();
        graph.edges().forEach(edge -> {
            from.merge(edge.from(), (double) edge.calls(), Double::sum);
            to.merge(edge.to(), (double) edge.calls(), Double::sum);
        });
        graph.edges().stream().filter(edge -> !edge.from().equals(edge.to())).forEach(edge -> {
            if (best.contains(edge.from())) {
                weights.merge(edge.to(), edge.calls() / from.getOrDefault(edge.from(), 1.0), Double::sum);
            }
            if (best.contains(edge.to())) {
                weights.merge(edge.from(), edge.calls() / to.getOrDefault(edge.to(), 1.0), Double::sum);
            }
        });
        return weights;
    }
}
