package org.sallyport.sandbox.source;

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

/** Takes the {@code export}s out of a module and finds what of it is to be run. */
final class Exports {
    private static final String DEFAULT = "default";

    private final SyntaxTree tree;
    private final EditedText edits;
    private final Imports imports;
    /** What is exported as which name: an expression. */
    private final Map<String, String> exported = new LinkedHashMap<>();

    private final Map<String, String> functions = new LinkedHashMap<>();
    private @Nullable ISwc4jAst first;

    Exports(SyntaxTree tree, EditedText edits, Imports imports) {
        this.tree = tree;
        this.edits = edits;
        this.imports = imports;
    }

    /** Whether there is an export. */
    boolean any() {
        return first != null;
    }

    /** The place of the first export. */
    int at() {
        return first == null ? 0 : tree.start(first);
    }

    /** What to run: the default export, else {@code main}, else {@code run}, else the only function that is exported. */
    Optional<String> main() {
        for (String name : new String[] {DEFAULT, "main", "run"}) {
            if (exported.containsKey(name)) {
                return Optional.ofNullable(exported.get(name));
            }
        }
        return functions.size() == 1 ? functions.values().stream().findFirst() : Optional.empty();
    }

    /** Takes an item if it is an export. */
    void take(ISwc4jAst item) throws InvalidScriptException {
        if (item instanceof Swc4jAstExportDecl declaration) {
            note(item);
            TopLevel.declared(declaration.getDecl()).forEach(name -> exported.put(name, name));
            TopLevel.function(declaration.getDecl()).ifPresent(named -> functions.put(named.name(), named.name()));
            edits.blank(tree.start(item), tree.start(declaration.getDecl()));
        } else if (item instanceof Swc4jAstNamedExport named) {
            note(item);
            takeNamed(named);
        } else if (item instanceof Swc4jAstExportAll all) {
            note(item);
            imports.inPlaceOf(item, imports.required(all.getSrc()) + ";");
        } else if (item instanceof Swc4jAstExportDefaultDecl declaration) {
            note(item);
            takeDefault(item, declaration.getDecl());
        } else if (item instanceof Swc4jAstExportDefaultExpr expression) {
            note(item);
            takeDefault(item, expression.getExpr());
        } else if (item instanceof Swc4jAstTsExportAssignment assignment) {
            note(item);
            takeDefault(item, assignment.getExpr());
        }
    }

    private void note(ISwc4jAst item) {
        first = first == null ? item : first;
    }

    private void takeNamed(Swc4jAstNamedExport named) {
        Optional<String> module = named.getSrc().map(imports::required);
        for (ISwc4jAstExportSpecifier each : named.getSpecifiers()) {
            if (each instanceof Swc4jAstExportNamedSpecifier specifier) {
                String local = tree.slice(specifier.getOrig());
                String member = local.startsWith("'") || local.startsWith("\"") ? "[" + local + "]" : "." + local;
                exported.put(
                        specifier.getExported().map(tree::slice).orElse(local),
                        module.map(required -> required + member).orElse(local));
            }
        }
        if (module.isPresent()) {
            imports.inPlaceOf(named, module.get() + ";");
        } else {
            edits.blank(tree.start(named), tree.end(named));
        }
    }

    private void takeDefault(ISwc4jAst item, ISwc4jAst value) throws InvalidScriptException {
        if (TopLevel.unwrapped(value) instanceof Swc4jAstClassExpr || value instanceof Swc4jAstClassDecl) {
            throw new InvalidScriptException(
                    tree.text(),
                    new SyntaxFault(
                            "SyntaxError: The default export is a class; export a function to be called",
                            new Lines(tree.text()).place(tree.start(item))));
        }
        if (value instanceof Swc4jAstFnExpr function && function.getIdent().isPresent() && isDeclaration(item)) {
            exported.put(DEFAULT, tree.slice(function.getIdent().get()));
            edits.blank(tree.start(item), tree.start(value));
            return;
        }
        exported.put(DEFAULT, Wrapper.MAIN);
        edits.overwrite(tree.start(item), tree.start(value), "const " + Wrapper.MAIN + "=");
        if (isDeclaration(item)) {
            // A declaration needs nothing after it, the expression it becomes does.
            edits.insert(tree.end(value), ";");
        }
    }

    private static boolean isDeclaration(ISwc4jAst item) {
        return item instanceof Swc4jAstExportDefaultDecl;
    }
}
