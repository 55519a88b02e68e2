package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstFunction;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstGetterProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstSetterProp;
import com.caoccao.javet.swc4j.ast.enums.Swc4jAstVarDeclKind;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstStr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstClassMember;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstBlockStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstExprStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstFnDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstForOfStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstUsingDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDeclarator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Rewrites {@code using} and {@code await using} declarations, which the engine does not know, to constants of a list
 * of resources. The statements of a block with such declarations move into a {@code try} statement whose {@code
 * finally} closes the list:
 *
 * <pre>
 * { using file = open(); read(file); }
 * { const $open$=$using$();try{const file = $open$.add(open()); read(file);
 *   }catch($error$){$open$.fail($error$)}finally{$open$.close()}}
 * </pre>
 *
 * All code is inserted into the lines of the author. An error of a value that is no resource has the position of its
 * declaration, an error of the end of the block the position of that end.
 */
final class UsingRewriter {
    private static final String ERROR = "$error$";
    private static final String KEYWORD = "const ";

    private final SyntaxTree tree;
    private final TextEdits edits;
    /** The name of each list of resources. */
    private final String list;

    private boolean topLevel;
    private boolean topLevelAsync;

    UsingRewriter(SyntaxTree tree, TextEdits edits) {
        this.tree = tree;
        this.edits = edits;
        list = tree.newName("$open$");
    }

    /** Returns the text with {@code const} in place of {@code using}; of the same length, for a syntax check. */
    static String withConstants(SyntaxTree tree) {
        TextEdits edits = new TextEdits(tree.text());
        tree.usingDeclarations().forEach(using -> replaceKeyword(using.declaration(), tree, edits));
        return edits.applyWithin("", "").text();
    }

    /** Returns whether the top level of the script declares a resource. Known after {@link #rewrite}. */
    boolean hasTopLevelResources() {
        return topLevel;
    }

    /** Returns the code that ends the script; empty if its top level declares no resource. */
    String topLevelEnd() {
        return topLevel ? ending(topLevelAsync) : "";
    }

    /** Rewrites all declarations. */
    void rewrite() throws InvalidScriptException {
        IdentityHashMap<ISwc4jAst, Boolean> asyncByParent = new IdentityHashMap<>();
        for (SyntaxTree.UsingDeclaration using : tree.usingDeclarations()) {
            check(using);
            ISwc4jAst parent = using.parent();
            if (parent == null) {
                topLevel = true;
                topLevelAsync |= using.declaration().isAwait();
            } else {
                asyncByParent.merge(parent, using.declaration().isAwait(), Boolean::logicalOr);
            }
            if (!(parent instanceof Swc4jAstForOfStmt)) {
                rewriteDeclaration(using.declaration());
            }
        }
        Map<ISwc4jAst, Set<String>> variables = new IdentityHashMap<>();
        // Where an inner and an outer statement end at the same offset, the code of the inner one comes first.
        List<ISwc4jAst> parents = new ArrayList<>(asyncByParent.keySet());
        parents.sort(Comparator.comparingInt(tree::start).reversed());
        for (ISwc4jAst parent : parents) {
            boolean async = asyncByParent.getOrDefault(parent, false);
            if (parent instanceof Swc4jAstForOfStmt loop) {
                rewriteLoop(loop, async);
            } else if (parent instanceof Swc4jAstBlockStmt block) {
                variables.put(block, checkFunctions(block.getStmts(), variables));
                insertBefore(block.getStmts());
                int end = tree.end(block) - 1;
                edits.insert(end, ending(async), end);
            }
        }
        if (topLevel) {
            checkFunctions(tree.items(), variables);
            insertBefore(tree.items());
        }
    }

    private void check(SyntaxTree.UsingDeclaration using) throws InvalidScriptException {
        Swc4jAstUsingDecl declaration = using.declaration();
        ISwc4jAst parent = using.parent();
        if (parent != null && !(parent instanceof Swc4jAstBlockStmt) && !(parent instanceof Swc4jAstForOfStmt)) {
            throw invalid("A using declaration is not allowed here; put it into a block of its own", declaration);
        }
        if (declaration.isAwait() && !using.insideAsync()) {
            throw invalid("await using is only allowed in async functions and outside of all functions", declaration);
        }
        boolean valueless =
                declaration.getDecls().stream().anyMatch(each -> each.getInit().isEmpty());
        if (valueless && !(parent instanceof Swc4jAstForOfStmt)) {
            throw invalid("A using declaration needs a value", declaration);
        }
    }

    /**
     * Checks that no function of a block has the name of a {@code var}, because the statements move into a block.
     *
     * @param known the result for each block inside that was checked before, so that the time is linear
     * @return the names that the statements declare with {@code var}
     */
    private Set<String> checkFunctions(List<? extends ISwc4jAst> statements, Map<ISwc4jAst, Set<String>> known)
            throws InvalidScriptException {
        Set<String> variables = new HashSet<>();
        Deque<ISwc4jAst> open = new ArrayDeque<>(statements);
        while (!open.isEmpty()) {
            ISwc4jAst node = open.pop();
            Set<String> inside = known.get(node);
            if (inside != null) {
                variables.addAll(inside);
                continue;
            }
            if (node instanceof Swc4jAstVarDecl declaration && declaration.getKind() == Swc4jAstVarDeclKind.Var) {
                variables.addAll(TopLevelDeclarations.declaredNames(declaration));
            }
            if (!isFunction(node)) {
                node.getChildNodes().stream().filter(Objects::nonNull).forEach(open::push);
            }
        }
        for (ISwc4jAst each : statements) {
            if (each instanceof Swc4jAstFnDecl function
                    && variables.contains(function.getIdent().getSym())) {
                throw invalid(
                        "A block with a using declaration cannot declare "
                                + function.getIdent().getSym()
                                + " as a function and with var; rename one of them",
                        function);
            }
        }
        return variables;
    }

    private static boolean isFunction(ISwc4jAst node) {
        return node instanceof Swc4jAstFunction
                || node instanceof Swc4jAstArrowExpr
                || node instanceof Swc4jAstGetterProp
                || node instanceof Swc4jAstSetterProp
                || node instanceof ISwc4jAstClassMember;
    }

    private InvalidScriptException invalid(String why, ISwc4jAst declaration) {
        return new InvalidScriptException(
                tree.text(),
                new SyntaxError("SyntaxError: " + why, new LineIndex(tree.text()).positionAt(tree.start(declaration))));
    }

    private void rewriteDeclaration(Swc4jAstUsingDecl declaration) {
        replaceKeyword(declaration, tree, edits);
        for (Swc4jAstVarDeclarator each : declaration.getDecls()) {
            each.getInit().ifPresent(value -> {
                edits.insert(tree.start(value), adding(declaration), tree.start(each.getName()));
                edits.insert(tree.end(value), ")");
            });
        }
    }

    private void rewriteLoop(Swc4jAstForOfStmt loop, boolean async) {
        Swc4jAstUsingDecl declaration = (Swc4jAstUsingDecl) loop.getLeft();
        replaceKeyword(declaration, tree, edits);
        Swc4jAstVarDeclarator variable = declaration.getDecls().get(0);
        String added = adding(declaration) + tree.slice(variable.getName()) + ");";
        edits.insert(tree.start(loop.getBody()), "{" + before() + added, tree.start(variable.getName()));
        int end = tree.end(loop.getBody());
        edits.insert(end, ending(async) + "}", Math.max(tree.start(loop.getBody()), end - 1));
    }

    private static void replaceKeyword(Swc4jAstUsingDecl declaration, SyntaxTree tree, TextEdits edits) {
        edits.overwrite(
                tree.start(declaration),
                tree.start(declaration.getDecls().get(0).getName()),
                KEYWORD);
    }

    /** Inserts before the first statement that is no directive, because directives must stay the first statements. */
    private void insertBefore(List<? extends ISwc4jAst> statements) {
        statements.stream()
                .filter(each -> !(each instanceof Swc4jAstExprStmt text && text.getExpr() instanceof Swc4jAstStr))
                .findFirst()
                .ifPresent(first -> edits.insert(tree.start(first), before()));
    }

    private String before() {
        return "const " + list + "=" + FunctionWrapper.USING + "();try{";
    }

    private String adding(Swc4jAstUsingDecl declaration) {
        return list + (declaration.isAwait() ? ".addAsync(" : ".add(");
    }

    private String ending(boolean async) {
        return "}catch(" + ERROR + "){" + list + ".fail(" + ERROR + ")}finally{"
                + (async ? "await " + list + ".closeAsync()" : list + ".close()") + "}";
    }
}
