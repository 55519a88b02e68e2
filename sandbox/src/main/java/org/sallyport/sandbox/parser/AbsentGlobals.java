package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import java.util.List;

/**
 * Globals of other runtimes, which do not exist in a script. The use of their members, as in
 * {@code Deno.readFile(…)}, throws an error that says what to use instead; without this class it would throw a plain
 * {@code ReferenceError}. They stay absent otherwise: {@code typeof Deno} is {@code "undefined"}.
 */
final class AbsentGlobals {
    private static final List<String> NAMES =
            List.of("Bun", "Deno", "Graal", "Java", "Packages", "Polyglot", "process");

    private AbsentGlobals() {}

    /**
     * Replaces each such name that the script does not use otherwise. Does nothing if the script may declare names
     * that the syntax tree does not show.
     */
    static void rewrite(SyntaxTree tree, TextEdits edits) {
        if (tree.hasHiddenNames()) {
            return;
        }
        for (String name : NAMES) {
            for (ISwc4jAst object : tree.memberObjects(name)) {
                edits.replace(tree.start(object), tree.end(object), FunctionWrapper.ABSENT + "." + name);
            }
        }
    }
}
