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
 * Finds tools by words. Every word must occur in a name of a tool (its name, its path in scripts, or the name by which
 * it is declared), in its description, or in the intents for which it is called. Matches by name come first, then
 * matches by description; equal matches are ordered by how often they are called right before or after the best
 * matches, and by how often they are called.
 */
final class ToolSearch {
    /** Shorter words would be prefixes of too many others. */
    private static final int MIN_STEM_LENGTH = 4;

    private final List<String> terms;
    private final ToolGraph graph;
    private final Map<String, List<String>> intents;

    /** A match with its rank; lower is better. */
    private record ToolMatch(CatalogTool tool, int rank) {
        String name() {
            return tool.spec().name().toString();
        }
    }

    private ToolSearch(List<String> wanted, ToolGraph graph) {
        this.terms = wanted;
        this.graph = graph;
        this.intents = graph.intentWords();
    }

    /**
     * Returns the tools that match each of {@code words}, ignoring case, the best first; all tools when there is no
     * word.
     */
    static List<CatalogTool> find(List<CatalogTool> tools, String words, ToolGraph graph) {
        List<String> wanted = Arrays.stream(words.toLowerCase(Locale.ROOT).split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
        return wanted.isEmpty() ? tools : new ToolSearch(wanted, graph).find(tools);
    }

    private List<CatalogTool> find(List<CatalogTool> tools) {
        List<ToolMatch> hits = tools.stream()
                .map(tool -> new ToolMatch(tool, rank(tool)))
                .filter(hit -> hit.rank() >= 0)
                .toList();
        int best = hits.stream().mapToInt(ToolMatch::rank).min().orElse(0);
        Map<String, Double> weights = weights(hits.stream()
                .filter(hit -> hit.rank() == best)
                .map(ToolMatch::name)
                .collect(Collectors.toSet()));
        return hits.stream()
                .sorted(Comparator.comparingInt(ToolMatch::rank)
                        .thenComparing(hit -> weights.getOrDefault(hit.name(), 0.0), Comparator.<Double>reverseOrder()))
                .map(ToolMatch::tool)
                .toList();
    }

    /**
     * Returns where the words occur: 0 in the names, 1 also in the description, 2 also in intents; -1 when a word
     * occurs in none.
     */
    private int rank(CatalogTool tool) {
        String name = names(tool).toLowerCase(Locale.ROOT);
        String description = tool.spec().description().toLowerCase(Locale.ROOT);
        List<String> meant = intents.getOrDefault(tool.spec().name().toString(), List.of());
        int place = 0;
        for (String word : terms) {
            if (name.contains(word)) {
                continue;
            } else if (description.contains(word)) {
                place = Math.max(place, 1);
            } else if (meant.stream().anyMatch(each -> sharesStem(each, word))) {
                place = 2;
            } else {
                return -1;
            }
        }
        return place;
    }

    /** Returns the names of a tool with blanks between them, which no word contains. */
    private static String names(CatalogTool tool) {
        String name = tool.spec().name().toString();
        boolean alike = tool.path().equals(name)
                && tool.declaredName().equals(tool.spec().name().tool());
        return alike ? name : name + " " + tool.path() + " " + tool.declaredName();
    }

    /** One word is a prefix of the other: "invoices" matches "invoice" and vice versa. */
    private static boolean sharesStem(String one, String other) {
        return one.equals(other)
                || Math.min(one.length(), other.length()) >= MIN_STEM_LENGTH
                        && (one.startsWith(other) || other.startsWith(one));
    }

    /**
     * Weighs tools by usage: the share of all calls, and the share of the calls right before and after {@code best}.
     */
    private Map<String, Double> weights(Set<String> best) {
        Map<String, Double> weights = new HashMap<>();
        double calls =
                graph.nodes().stream().mapToLong(ToolGraph.ToolNode::calls).sum();
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
