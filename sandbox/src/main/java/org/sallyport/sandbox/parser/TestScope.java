package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstStr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstExprStmt;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Lets tests see what their script declares at its top level, as if they were written below it.
 *
 * <p>The wrapped script gets one more argument: a function, or nothing. Before its first statement the script gives
 * that function an object with an accessor for each declared name. If the function returns a false value, the script
 * ends there. Otherwise the script runs its statements, but ends before the first of these:
 *
 * <ul>
 *   <li>a statement with {@code return} or {@code await} outside of all functions;
 *   <li>the expression that would be the result of the script.
 * </ul>
 *
 * <p>So the tests can use a declared function without a run of the script. The wrapped tests are a function that takes
 * an object with the same names and returns the function that runs the tests.
 */
final class TestScope {
    static final String BEFORE_TESTS = "(" + FunctionWrapper.SCOPE + "=>{with(" + FunctionWrapper.SCOPE + ")return ";
    static final String AFTER_TESTS = "})";

    /** Comes first in a script whose declarations are not known: the tests see none of them. */
    static final String NOTHING = "if(" + FunctionWrapper.SCOPE + ")return;";

    private static final String VALUE = "$value$";
    private static final int MAX_NAMES = 1_000;

    /** Names that tests have anyway. */
    private static final Set<String> NAMES_OF_TESTS =
            Set.of("after", "afterEach", "assert", "before", "beforeEach", "main", "mock", "test");

    private TestScope() {}

    /**
     * Adds the code for this to a tested script. Called before the edits that return the result.
     *
     * @param result the last statement, if its value would be the result of the script
     */
    static void addTo(SyntaxTree tree, TextEdits edits, Optional<? extends ISwc4jAst> result) {
        List<? extends ISwc4jAst> items = tree.items();
        int start = items.stream()
                .filter(item -> !isDirective(item))
                .findFirst()
                .map(tree::start)
                .orElse(tree.text().length());
        int end = items.stream()
                .filter(item -> !isDirective(item))
                .filter(item -> tree.isPausedBy(item)
                        || result.filter(last -> last == item).isPresent())
                .findFirst()
                .map(tree::start)
                .orElse(tree.text().length());
        edits.insert(
                start,
                "\nif(" + FunctionWrapper.SCOPE + "&&!" + FunctionWrapper.SCOPE + "({__proto__:null," + accessors(items)
                        + "}))return;");
        edits.insert(end, "\nif(" + FunctionWrapper.SCOPE + ")return;");
    }

    private static String accessors(List<? extends ISwc4jAst> items) {
        Set<String> names = new LinkedHashSet<>();
        items.forEach(item -> names.addAll(TopLevelDeclarations.namesInScope(item)));
        names.removeAll(NAMES_OF_TESTS);
        StringBuilder code = new StringBuilder();
        for (String name : names.stream().limit(MAX_NAMES).toList()) {
            code.append("get ").append(name).append("(){return ").append(name).append("},");
            code.append("set ")
                    .append(name)
                    .append("(" + VALUE + "){")
                    .append(name)
                    .append("=" + VALUE + "},");
        }
        return code.toString();
    }

    private static boolean isDirective(ISwc4jAst item) {
        return item instanceof Swc4jAstExprStmt statement && statement.getExpr() instanceof Swc4jAstStr;
    }
}
