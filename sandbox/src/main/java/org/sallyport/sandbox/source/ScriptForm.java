package org.sallyport.sandbox.source;

import com.caoccao.javet.swc4j.ast.enums.Swc4jAstUnaryOp;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstAssignExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstMemberExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstUnaryExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstUpdateExpr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsImportEqualsDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstExprStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstFnDecl;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Turns a script into the body of one function whose result is the script's. The first rule that fits decides:
 *
 * <ol>
 *   <li>exports: the default export, else {@code main}, else {@code run}, else the only function that is exported; a
 *       function is called with {@code (args, context)}, an object's {@code main} or {@code run} too, another value is
 *       the result;
 *   <li>{@code module.exports} or {@code exports}: the same;
 *   <li>a {@code return} outside of all functions: what it returns;
 *   <li>a function that is declared and mentioned nowhere else, if it is called {@code main} or is the last statement: it
 *       is called with {@code (args, context)};
 *   <li>the last statement, but for function declarations, is an expression: its value; a function that is written there
 *       is called with {@code (args, context)}. Assignments have no value, the operand of {@code void} has;
 *   <li>else {@code null}.
 * </ol>
 *
 * A promise is awaited. A module is strict, everything else as strict as it says.
 */
final class ScriptForm {
    private static final String COMMON_MODULE = "const module={exports:{}},exports=module.exports;";

    private final SyntaxTree tree;
    private final EditedText edits;
    private final Imports imports;
    private final Exports exports;

    private ScriptForm(SyntaxTree tree) {
        this.tree = tree;
        edits = new EditedText(tree.text());
        imports = new Imports(tree, edits);
        exports = new Exports(tree, edits, imports);
    }

    /** The script, wrapped. */
    static EditedText.Result wrapped(SyntaxTree tree) throws InvalidScriptException {
        return new ScriptForm(tree).wrapped();
    }

    private EditedText.Result wrapped() throws InvalidScriptException {
        imports.takeCalls();
        boolean strict = false;
        for (ISwc4jAst item : tree.items()) {
            if (item instanceof Swc4jAstImportDecl declaration) {
                imports.take(declaration);
                strict = true;
            } else if (item instanceof Swc4jAstTsImportEqualsDecl declaration) {
                imports.take(declaration);
            } else {
                exports.take(item);
            }
        }
        boolean common = !exports.any() && isCommonModule();
        String last = common ? outcome("module.exports", "default", "main", "run") : ending();
        return Wrapper.around(edits, strict || exports.any(), common ? COMMON_MODULE : "", last);
    }

    /** What is run after the script's own statements; may change the last of these. */
    private String ending() throws InvalidScriptException {
        Optional<String> main = exports.main();
        if (main.isPresent()) {
            return outcome(main.get(), "main", "run");
        }
        if (tree.returns()) {
            return "";
        }
        Optional<String> uncalled = uncalled();
        if (uncalled.isPresent()) {
            return "return " + Wrapper.call(uncalled.get()) + ";";
        }
        Optional<ISwc4jAst> last = last(item -> !(item instanceof Swc4jAstFnDecl));
        if (last.isPresent() && last.get() instanceof Swc4jAstExprStmt statement) {
            giveValue(statement.getExpr());
        } else if (exports.any()) {
            throw new InvalidScriptException(
                    tree.text(),
                    new SyntaxFault(
                            "SyntaxError: A module must have a default export or export a function main",
                            new Lines(tree.text()).place(exports.at())));
        }
        return "";
    }

    private static String outcome(String main, String... members) {
        StringBuilder code = new StringBuilder("if (typeof " + main + " === 'function') return " + Wrapper.call(main)
                + ";\nif (typeof " + main + " === 'object' && " + main + " !== null) {");
        for (String member : members) {
            String function = main + "." + member;
            code.append(" if (typeof ").append(function).append(" === 'function') return ");
            code.append(Wrapper.call(function)).append(';');
        }
        return code + " }\nreturn " + main + ";";
    }

    private Optional<String> uncalled() {
        List<? extends ISwc4jAst> items = tree.items();
        Optional<String> main = items.stream()
                .flatMap(item -> TopLevel.function(item).stream())
                .filter(function -> function.name().equals("main") && isUncalled(function))
                .map(TopLevel.NamedFunction::name)
                .findFirst();
        if (main.isPresent()) {
            return main;
        }
        return last(item -> true)
                .flatMap(TopLevel::function)
                .filter(this::isUncalled)
                .map(TopLevel.NamedFunction::name);
    }

    private boolean isUncalled(TopLevel.NamedFunction named) {
        return !tree.mentions(
                named.name(), tree.start(named.identifier()), tree.start(named.function()), tree.end(named.function()));
    }

    /** The last statement that does something and that {@code counts}. */
    private Optional<ISwc4jAst> last(Predicate<ISwc4jAst> counts) {
        for (int i = tree.items().size() - 1; i >= 0; i--) {
            ISwc4jAst item = tree.items().get(i);
            if (!TopLevel.isEmpty(item) && counts.test(item)) {
                return Optional.of(item);
            }
        }
        return Optional.empty();
    }

    private void giveValue(ISwc4jAst expression) {
        ISwc4jAst inner = TopLevel.unwrapped(expression);
        if (inner instanceof Swc4jAstAssignExpr || inner instanceof Swc4jAstUpdateExpr) {
            return;
        }
        if (expression instanceof Swc4jAstUnaryExpr unary && unary.getOp() == Swc4jAstUnaryOp.Void) {
            // `void main()`: the author wants it to have happened.
            edits.blank(tree.start(unary), tree.start(unary.getArg()));
            edits.insert(tree.start(unary.getArg()), "return ");
            return;
        }
        boolean calls = TopLevel.isFunction(expression)
                || (inner instanceof Swc4jAstIdent name
                        && tree.items().stream()
                                .flatMap(item -> TopLevel.function(item).stream())
                                .anyMatch(function -> function.name().equals(name.getSym())));
        edits.insert(tree.start(expression), calls ? "return (" : "return ");
        if (calls) {
            edits.insert(tree.end(expression), Wrapper.call(")"));
        }
    }

    /** Whether the script assigns what modules of Node.js assign, and does not declare these names itself. */
    private boolean isCommonModule() {
        boolean assigns = tree.items().stream()
                .anyMatch(item -> item instanceof Swc4jAstExprStmt statement
                        && TopLevel.unwrapped(statement.getExpr()) instanceof Swc4jAstAssignExpr assignment
                        && isModuleMember(assignment.getLeft()));
        return assigns
                && tree.items().stream()
                        .flatMap(item -> TopLevel.declared(item).stream())
                        .noneMatch(name -> name.equals("module") || name.equals("exports"));
    }

    private boolean isModuleMember(ISwc4jAst target) {
        if (!(target instanceof Swc4jAstMemberExpr member)) {
            return false;
        }
        String object = tree.slice(member.getObj());
        return object.equals("exports")
                || object.equals("module.exports")
                || (object.equals("module") && tree.slice(member.getProp()).equals("exports"));
    }
}
