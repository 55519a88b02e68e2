package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names that a script mentions, without regard to scopes. Filled by the walk over a {@link SyntaxTree}. */
final class NameIndex {
    private final Map<String, List<Integer>> offsetsByName = new HashMap<>();
    private final Map<String, List<ISwc4jAst>> memberObjects = new HashMap<>();
    private final Map<String, Integer> typeofCounts = new HashMap<>();
    private final Set<String> variables = new HashSet<>();

    void addMention(Swc4jAstIdent name, int offset) {
        offsetsByName.computeIfAbsent(name.getSym(), any -> new ArrayList<>()).add(offset);
    }

    /** Adds an identifier whose member the script uses. */
    void addMemberObject(Swc4jAstIdent name) {
        memberObjects.computeIfAbsent(name.getSym(), any -> new ArrayList<>()).add(name);
    }

    /** Adds an operand of {@code typeof}. */
    void addTypeof(Swc4jAstIdent name) {
        typeofCounts.merge(name.getSym(), 1, Integer::sum);
    }

    /** Adds a variable or a parameter that the script declares, or a variable to which it assigns. */
    void addVariable(Swc4jAstIdent name) {
        variables.add(name.getSym());
    }

    /** Returns the offsets at which {@code name} occurs. */
    List<Integer> mentions(String name) {
        return offsetsByName.getOrDefault(name, List.of());
    }

    /**
     * Returns the identifiers {@code name} whose members the script uses. The list is empty if the script uses the name
     * for anything else but {@code typeof}, so also if it declares the name.
     */
    List<ISwc4jAst> memberObjects(String name) {
        List<ISwc4jAst> objects = memberObjects.getOrDefault(name, List.of());
        int known = objects.size() + typeofCounts.getOrDefault(name, 0);
        return mentions(name).size() == known ? objects : List.of();
    }

    boolean isVariable(String name) {
        return variables.contains(name);
    }
}
