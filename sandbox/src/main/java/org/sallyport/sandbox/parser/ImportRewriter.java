package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstStr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstImportSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDefaultSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportNamedSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportStarAsSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsExternalModuleRef;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsImportEqualsDecl;
import java.util.ArrayList;
import java.util.List;

/**
 * Rewrites imports to calls of the two functions that a wrapped script gets for this purpose. The imported values are
 * read once, at the position of the import. A default import is the {@code default} member of a module with {@code
 * __esModule}, otherwise the module itself.
 */
final class ImportRewriter {
    private static final String DEFAULT_INTEROP = "(m=>m!=null&&m.__esModule?m.default:m)";

    private final SyntaxTree tree;
    private final TextEdits edits;

    ImportRewriter(SyntaxTree tree, TextEdits edits) {
        this.tree = tree;
        this.edits = edits;
    }

    /** Rewrites calls of {@code import}; the new name has the same length, so no position changes. */
    void rewriteCalls() {
        for (ISwc4jAst word : tree.dynamicImports()) {
            edits.replace(tree.start(word), tree.start(word) + FunctionWrapper.IMPORT.length(), FunctionWrapper.IMPORT);
        }
    }

    void rewrite(Swc4jAstImportDecl declaration) {
        String required = requireCall(declaration.getSrc());
        List<String> members = new ArrayList<>();
        List<String> bindings = new ArrayList<>();
        for (ISwc4jAstImportSpecifier each : declaration.getSpecifiers()) {
            if (each instanceof Swc4jAstImportDefaultSpecifier whole) {
                bindings.add(tree.slice(whole.getLocal()) + "=" + DEFAULT_INTEROP + "(" + required + ")");
            } else if (each instanceof Swc4jAstImportStarAsSpecifier all) {
                bindings.add(tree.slice(all.getLocal()) + "=" + required);
            } else if (each instanceof Swc4jAstImportNamedSpecifier named && !named.isTypeOnly()) {
                String local = tree.slice(named.getLocal());
                String imported = named.getImported().map(tree::slice).orElse(local);
                if (imported.equals("default")) {
                    bindings.add(local + "=" + DEFAULT_INTEROP + "(" + required + ")");
                } else {
                    members.add(imported.equals(local) ? local : imported + ":" + local);
                }
            }
        }
        if (!members.isEmpty()) {
            bindings.add("{" + String.join(",", members) + "}=" + required);
        }
        replaceItem(declaration, (bindings.isEmpty() ? required : "const " + String.join(",", bindings)) + ";");
    }

    /** Rewrites {@code import x = require('m')} of TypeScript. */
    void rewrite(Swc4jAstTsImportEqualsDecl declaration) {
        String source = declaration.getModuleRef() instanceof Swc4jAstTsExternalModuleRef module
                ? requireCall(module.getExpr())
                : tree.slice(declaration.getModuleRef());
        replaceItem(declaration, "const " + tree.slice(declaration.getId()) + "=" + source + ";");
    }

    /** Returns the call that loads a module; the name is copied exactly as the author wrote it, including escapes. */
    String requireCall(Swc4jAstStr name) {
        return FunctionWrapper.REQUIRE + "(" + tree.slice(name) + ")";
    }

    /** Replaces an item by a statement; keeps the number of line ends. */
    void replaceItem(ISwc4jAst item, String statement) {
        int lineEnds = (int) tree.slice(item).chars().filter(at -> at == '\n').count();
        edits.replace(tree.start(item), tree.end(item), statement + "\n".repeat(lineEnds));
    }
}
