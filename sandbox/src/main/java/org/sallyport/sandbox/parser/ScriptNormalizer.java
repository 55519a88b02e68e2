package org.sallyport.sandbox.parser;

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
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Turns a script into the body of one function that returns the script's result. The first matching rule determines
 * the result:
 *
 * <ol>
 *   <li>exports: the default export, else {@code main}, else {@code run}, else the only exported function. A function
 *       is called with {@code (args, context)}, and so is the {@code main} or {@code run} of an object; another value
 *       is the result;
 *   <li>{@code module.exports} or {@code exports}: the same;
 *   <li>a {@code return} outside of all functions: the returned value;
 *   <li>a declared function that the script does not use, see {@link UnusedCodeFinder}: it is called with {@code (args,
 *       context)};
 *   <li>the last statement that is not a function declaration, if it is an expression: its value. A function there is
 *       called with {@code (args, context)}. An assignment counts as no value; for {@code void}, the operand counts;
 *   <li>otherwise {@code null}.
 * </ol>
 *
 * A promise is awaited. A module runs in strict mode, any other script only if it says so.
 */
final class ScriptNormalizer {
    private static final String COMMONJS_PROLOGUE = "const module={exports:{}},exports=module.exports;";

    private static final String NO_MAIN = "A module must have a default export or export a function main";

    private final SyntaxTree tree;
    private final ScriptRole role;
    private final TextEdits edits;
    private final ImportRewriter imports;
    private final ExportRewriter exports;
    private final UsingRewriter resources;
    private final UnusedCodeFinder unusedCode;
    private String nullWarning = "";

    /**
     * @param wrapped the wrapped script
     * @param nullWarning the warning to print if the result is {@code null}; empty if there is none
     */
    record NormalizedScript(TextEdits.TextEditResult wrapped, String nullWarning) {}

    private ScriptNormalizer(SyntaxTree tree, ScriptRole role) {
        this.tree = tree;
        this.role = role;
        edits = new TextEdits(tree.text());
        imports = new ImportRewriter(tree, edits);
        exports = new ExportRewriter(tree, edits, imports);
        resources = new UsingRewriter(tree, edits);
        unusedCode = new UnusedCodeFinder(tree);
    }

    /** Returns the wrapped script. */
    static NormalizedScript normalize(SyntaxTree tree, ScriptRole role) throws InvalidScriptException {
        return new ScriptNormalizer(tree, role).normalize();
    }

    private NormalizedScript normalize() throws InvalidScriptException {
        AbsentGlobals.rewrite(tree, edits);
        resources.rewrite();
        imports.rewriteCalls();
        boolean strict = false;
        for (ISwc4jAst item : tree.items()) {
            if (item instanceof Swc4jAstImportDecl declaration) {
                imports.rewrite(declaration);
                strict = true;
            } else if (item instanceof Swc4jAstTsImportEqualsDecl declaration) {
                imports.rewrite(declaration);
            } else {
                exports.rewrite(item);
            }
        }
        boolean common = !exports.hasExports() && isCommonJsModule();
        if (role == ScriptRole.TESTED) {
            TestScope.addTo(tree, edits, common ? Optional.empty() : resultExpression());
        }
        String last = common ? commonJsResult() : epilogue();
        String spread = tree.newName(FunctionWrapper.SPREAD);
        SpreadRewriter.rewrite(tree, edits, spread);
        TextEdits.TextEditResult wrapped = FunctionWrapper.wrap(
                edits,
                role,
                strict || exports.hasExports(),
                spread,
                common ? COMMONJS_PROLOGUE : "",
                last + resources.topLevelEnd());
        return new NormalizedScript(wrapped, nullWarning);
    }

    /** Returns the code to append after the script's own statements; may change the last of them. */
    private String epilogue() throws InvalidScriptException {
        Optional<String> main = exports.mainExpression();
        if (main.isPresent()) {
            return callOrReturn(main.get(), "main", "run");
        }
        if (tree.hasTopLevelReturn()) {
            return "";
        }
        Optional<String> uncalled = findUncalledFunction();
        if (uncalled.isPresent()) {
            return returnKeyword() + FunctionWrapper.call(uncalled.get()) + ";";
        }
        nullWarning = unusedCode.warning();
        Optional<Swc4jAstExprStmt> last = lastExpression();
        if (last.isPresent()) {
            returnValueOf(last.get().getExpr());
        } else if (exports.hasExports() && role == ScriptRole.TESTED) {
            return "throw new TypeError('" + NO_MAIN + "');";
        } else if (exports.hasExports()) {
            throw new InvalidScriptException(
                    tree.text(),
                    new SyntaxError(
                            "SyntaxError: " + NO_MAIN, new LineIndex(tree.text()).positionAt(exports.firstOffset())));
        }
        return "";
    }

    /** Returns the start of a statement that returns the result; resources are closed after a promise has settled. */
    private String returnKeyword() {
        return resources.hasTopLevelResources() ? "return await " : "return ";
    }

    private String callOrReturn(String main, String... members) {
        StringBuilder code = new StringBuilder("if (typeof " + main + " === 'function') " + returnKeyword()
                + FunctionWrapper.call(main) + ";\nif (typeof " + main + " === 'object' && " + main + " !== null) {");
        for (String member : members) {
            String function = main + "." + member;
            code.append(" if (typeof ")
                    .append(function)
                    .append(" === 'function') ")
                    .append(returnKeyword());
            code.append(FunctionWrapper.call(function)).append(';');
        }
        return code + " }\n" + returnKeyword() + main + ";";
    }

    /** Returns the code for the exports of CommonJS; of an object with one member, a function, that is called. */
    private String commonJsResult() {
        String only = "Object.values(Object(module.exports))";
        return "if (" + only + ".length === 1 && typeof module.exports !== 'function' && typeof " + only
                + "[0] === 'function') " + returnKeyword() + FunctionWrapper.call(only + "[0]") + ";\n"
                + callOrReturn("module.exports", "default", "main", "run");
    }

    private Optional<String> findUncalledFunction() {
        return unusedCode.findUncalledFunction(lastStatement(item -> true).orElse(null));
    }

    /** Returns the last statement that has an effect and matches {@code counts}. */
    private Optional<ISwc4jAst> lastStatement(Predicate<ISwc4jAst> counts) {
        for (int i = tree.items().size() - 1; i >= 0; i--) {
            ISwc4jAst item = tree.items().get(i);
            if (!TopLevelDeclarations.isEmpty(item) && counts.test(item)) {
                return Optional.of(item);
            }
        }
        return Optional.empty();
    }

    /** Returns the last statement that is not a function declaration, if it is an expression. */
    private Optional<Swc4jAstExprStmt> lastExpression() {
        return lastStatement(item -> !(item instanceof Swc4jAstFnDecl))
                .filter(Swc4jAstExprStmt.class::isInstance)
                .map(Swc4jAstExprStmt.class::cast);
    }

    /** Returns the last statement, if its value is the result of the script. */
    private Optional<Swc4jAstExprStmt> resultExpression() {
        boolean other = exports.mainExpression().isPresent()
                || tree.hasTopLevelReturn()
                || findUncalledFunction().isPresent();
        return other ? Optional.empty() : lastExpression().filter(last -> !isChange(last.getExpr()));
    }

    private static boolean isChange(ISwc4jAst expression) {
        ISwc4jAst inner = TopLevelDeclarations.withoutParentheses(expression);
        return inner instanceof Swc4jAstAssignExpr || inner instanceof Swc4jAstUpdateExpr;
    }

    private void returnValueOf(ISwc4jAst expression) {
        if (isChange(expression)) {
            return;
        }
        ISwc4jAst inner = TopLevelDeclarations.withoutParentheses(expression);
        if (expression instanceof Swc4jAstUnaryExpr unary && unary.getOp() == Swc4jAstUnaryOp.Void) {
            // With `void main()` the author wants main to complete before the script ends.
            edits.blankOut(tree.start(unary), tree.start(unary.getArg()));
            edits.insert(tree.start(unary.getArg()), returnKeyword(), tree.start(unary.getArg()));
            return;
        }
        boolean calls = TopLevelDeclarations.isFunction(expression)
                || (inner instanceof Swc4jAstIdent name
                        && tree.items().stream()
                                .flatMap(item -> TopLevelDeclarations.declaredFunction(item).stream())
                                .anyMatch(function -> function.name().equals(name.getSym())));
        boolean grouped = calls || resources.hasTopLevelResources();
        int start = tree.start(expression);
        edits.insert(start, returnKeyword() + (grouped ? "(" : ""), start);
        if (grouped) {
            edits.insert(tree.end(expression), calls ? FunctionWrapper.call(")") : ")");
        }
    }

    /** Returns whether the script assigns CommonJS exports and does not declare these names itself. */
    private boolean isCommonJsModule() {
        boolean assigns = tree.items().stream()
                .anyMatch(item -> item instanceof Swc4jAstExprStmt statement
                        && TopLevelDeclarations.withoutParentheses(statement.getExpr())
                                instanceof Swc4jAstAssignExpr assignment
                        && isModuleMember(assignment.getLeft()));
        return assigns
                && tree.items().stream()
                        .flatMap(item -> TopLevelDeclarations.declaredNames(item).stream())
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
