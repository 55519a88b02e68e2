package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.parser.TopLevelDeclarations.NamedFunction;

/**
 * Finds the code that a script declares at its top level and never runs. Code in a function of the top level runs only
 * if the script uses that function, directly or through other functions.
 */
final class UnusedCodeFinder {
    private static final int MAX_NAMES = 5;

    private final SyntaxTree tree;
    private final List<NamedFunction> functions;
    private @Nullable UseGraph graph;

    /**
     * The uses of the names that the top level declares.
     *
     * @param offsetsByName where each name is used
     * @param namesByFunction the names that each function of the top level uses
     * @param reached the names that the script uses, directly or through its functions
     */
    private record UseGraph(
            Map<String, List<Integer>> offsetsByName, Map<String, Set<String>> namesByFunction, Set<String> reached) {

        /** Adds {@code names}, and all that their functions use, to {@code known}. */
        void addReachable(Collection<String> names, Set<String> known) {
            Deque<String> open = new ArrayDeque<>(names);
            while (!open.isEmpty()) {
                String name = open.pop();
                if (known.add(name)) {
                    open.addAll(namesByFunction.getOrDefault(name, Set.of()));
                }
            }
        }
    }

    UnusedCodeFinder(SyntaxTree tree) {
        this.tree = tree;
        functions = tree.items().stream()
                .flatMap(item -> Stream.concat(
                        TopLevelDeclarations.declaredFunctions(item).stream(),
                        DeclaredCode.assignedFunction(item)
                                .filter(assigned -> TopLevelDeclarations.isFunction(assigned.function()))
                                .stream()))
                .toList();
    }

    /**
     * Returns the function to call: a {@code main} or {@code run} that the script never runs, else the last statement,
     * if it is a function that nothing but itself uses.
     *
     * @param lastStatement the last statement with an effect, or null
     */
    Optional<String> findUncalledFunction(@Nullable ISwc4jAst lastStatement) {
        for (String name : new String[] {"main", "run"}) {
            boolean uncalled =
                    functions.stream().anyMatch(function -> function.name().equals(name) && isUnreached(function));
            if (uncalled) {
                return Optional.of(name);
            }
        }
        return Optional.ofNullable(lastStatement)
                .flatMap(TopLevelDeclarations::declaredFunction)
                .filter(this::isUnused)
                .map(NamedFunction::name);
    }

    /** Returns a warning that names the code which the script declares and does not use; empty if there is none. */
    String warning() {
        Set<String> unused = DeclaredCode.of(tree.items()).stream()
                .filter(this::isUnused)
                .map(NamedFunction::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        Set<String> known = new HashSet<>();
        if (functions.stream().anyMatch(function -> !unused.contains(function.name()))) {
            graph().addReachable(unused, known);
        }
        // Functions that use each other in a circle have no start: the first one stands for them.
        for (NamedFunction function : functions) {
            if (!unused.contains(function.name()) && !known.contains(function.name()) && isUnreached(function)) {
                unused.add(function.name());
                graph().addReachable(List.of(function.name()), known);
            }
        }
        return unused.isEmpty() ? "" : warning(List.copyOf(unused));
    }

    private static String warning(List<String> unused) {
        String names = String.join(", ", unused.subList(0, Math.min(unused.size(), MAX_NAMES)));
        return "Warning: the script returned nothing and never used " + names
                + (unused.size() > MAX_NAMES ? ", …" : "")
                + "; call what should run at the end of the script, or name the function main or run";
    }

    /** Returns whether the script uses the name nowhere outside of what it is bound to. */
    private boolean isUnused(NamedFunction named) {
        int from = tree.start(named.function());
        int to = tree.end(named.function());
        return isMentionedOnce(named)
                || graph().offsetsByName().getOrDefault(named.name(), List.of()).stream()
                        .allMatch(at -> at >= from && at < to);
    }

    /** Returns whether the script uses the function nowhere, or only in functions that it does not use. */
    private boolean isUnreached(NamedFunction function) {
        return isMentionedOnce(function) || !graph().reached().contains(function.name());
    }

    /** Returns whether the name occurs nowhere else. Most names are unique, so that the scopes are rarely needed. */
    private boolean isMentionedOnce(NamedFunction named) {
        return !tree.mentions(
                named.name(), tree.start(named.identifier()), tree.start(named.function()), tree.end(named.function()));
    }

    private UseGraph graph() {
        UseGraph known = graph;
        if (known == null) {
            known = newGraph();
            graph = known;
        }
        return known;
    }

    private UseGraph newGraph() {
        TreeMap<Integer, NamedFunction> byStart = new TreeMap<>();
        tree.items().stream()
                .flatMap(item -> DeclaredCode.functionsOf(item).stream())
                .forEach(function -> byStart.put(tree.start(function.function()), function));
        Set<Integer> assigned = tree.items().stream()
                .flatMap(item -> DeclaredCode.assignedFunction(item).stream())
                .map(function -> tree.start(function.identifier()))
                .collect(Collectors.toSet());
        Map<String, List<Integer>> offsetsByName = new HashMap<>();
        Map<String, Set<String>> namesByFunction = new HashMap<>();
        Set<String> atTopLevel = new HashSet<>();
        ScopeAnalysis.of(tree).topLevelUses(tree).forEach((name, offsets) -> {
            for (int at : offsets) {
                if (assigned.contains(at)) {
                    continue;
                }
                offsetsByName.computeIfAbsent(name, any -> new ArrayList<>()).add(at);
                Map.Entry<Integer, NamedFunction> around = byStart.floorEntry(at);
                boolean inside =
                        around != null && at < tree.end(around.getValue().function());
                if (inside) {
                    namesByFunction
                            .computeIfAbsent(around.getValue().name(), any -> new HashSet<>())
                            .add(name);
                } else {
                    atTopLevel.add(name);
                }
            }
        });
        UseGraph uses = new UseGraph(offsetsByName, namesByFunction, new HashSet<>());
        uses.addReachable(atTopLevel, uses.reached());
        return uses;
    }
}
