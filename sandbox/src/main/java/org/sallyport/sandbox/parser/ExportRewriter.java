package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.expr.Swc4jAstClassExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstFnExpr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstExportSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportAll;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDefaultDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDefaultExpr;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportNamedSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstNamedExport;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsExportAssignment;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstClassDecl;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Removes the {@code export}s from a module and finds the expression to run. */
final class ExportRewriter {
    private static final String DEFAULT = "default";

    private final SyntaxTree tree;
    private final TextEdits edits;
    private final ImportRewriter imports;
    /** The exported expressions, by exported name. */
    private final Map<String, String> expressionByName = new LinkedHashMap<>();

    private final Map<String, String> functionByName = new LinkedHashMap<>();
    private @Nullable ISwc4jAst firstExport;

    ExportRewriter(SyntaxTree tree, TextEdits edits, ImportRewriter imports) {
        this.tree = tree;
        this.edits = edits;
        this.imports = imports;
    }

    /** Returns whether the module has an export. */
    boolean hasExports() {
        return firstExport != null;
    }

    /** Returns the offset of the first export, or 0 if there is none. */
    int firstOffset() {
        return firstExport == null ? 0 : tree.start(firstExport);
    }

    /**
     * Returns the expression to run: the default export, else {@code main}, else {@code run}, else the only exported
     * function.
     */
    Optional<String> mainExpression() {
        for (String name : new String[] {DEFAULT, "main", "run"}) {
            if (expressionByName.containsKey(name)) {
                return Optional.ofNullable(expressionByName.get(name));
            }
        }
        return functionByName.size() == 1 ? functionByName.values().stream().findFirst() : Optional.empty();
    }

    /** Rewrites {@code item} if it is an export. */
    void rewrite(ISwc4jAst item) throws InvalidScriptException {
        if (item instanceof Swc4jAstExportDecl declaration) {
            recordFirst(item);
            TopLevelDeclarations.declaredNames(declaration.getDecl()).forEach(name -> expressionByName.put(name, name));
            TopLevelDeclarations.declaredFunction(declaration.getDecl())
                    .ifPresent(named -> functionByName.put(named.name(), named.name()));
            edits.blankOut(tree.start(item), tree.start(declaration.getDecl()));
        } else if (item instanceof Swc4jAstNamedExport named) {
            recordFirst(item);
            rewriteNamed(named);
        } else if (item instanceof Swc4jAstExportAll all) {
            recordFirst(item);
            imports.replaceItem(item, imports.requireCall(all.getSrc()) + ";");
        } else if (item instanceof Swc4jAstExportDefaultDecl declaration) {
            recordFirst(item);
            rewriteDefault(item, declaration.getDecl());
        } else if (item instanceof Swc4jAstExportDefaultExpr expression) {
            recordFirst(item);
            rewriteDefault(item, expression.getExpr());
        } else if (item instanceof Swc4jAstTsExportAssignment assignment) {
            recordFirst(item);
            rewriteDefault(item, assignment.getExpr());
        }
    }

    private void recordFirst(ISwc4jAst item) {
        firstExport = firstExport == null ? item : firstExport;
    }

    private void rewriteNamed(Swc4jAstNamedExport named) {
        Optional<String> module = named.getSrc().map(imports::requireCall);
        for (ISwc4jAstExportSpecifier each : named.getSpecifiers()) {
            if (each instanceof Swc4jAstExportNamedSpecifier specifier) {
                String local = tree.slice(specifier.getOrig());
                String member = local.startsWith("'") || local.startsWith("\"") ? "[" + local + "]" : "." + local;
                expressionByName.put(
                        specifier.getExported().map(tree::slice).orElse(local),
                        module.map(required -> required + member).orElse(local));
            }
        }
        if (module.isPresent()) {
            imports.replaceItem(named, module.get() + ";");
        } else {
            edits.blankOut(tree.start(named), tree.end(named));
        }
    }

    private void rewriteDefault(ISwc4jAst item, ISwc4jAst value) throws InvalidScriptException {
        if (TopLevelDeclarations.withoutParentheses(value) instanceof Swc4jAstClassExpr
                || value instanceof Swc4jAstClassDecl) {
            throw new InvalidScriptException(
                    tree.text(),
                    new SyntaxError(
                            "SyntaxError: The default export is a class; export a function to be called",
                            new LineIndex(tree.text()).positionAt(tree.start(item))));
        }
        if (value instanceof Swc4jAstFnExpr function && function.getIdent().isPresent() && isDeclaration(item)) {
            expressionByName.put(DEFAULT, tree.slice(function.getIdent().get()));
            edits.blankOut(tree.start(item), tree.start(value));
            return;
        }
        expressionByName.put(DEFAULT, FunctionWrapper.MAIN);
        edits.overwrite(tree.start(item), tree.start(value), "const " + FunctionWrapper.MAIN + "=");
        if (isDeclaration(item)) {
            // A declaration needs no semicolon after it; the expression that replaces it does.
            edits.insert(tree.end(value), ";");
        }
    }

    private static boolean isDeclaration(ISwc4jAst item) {
        return item instanceof Swc4jAstExportDefaultDecl;
    }
}
