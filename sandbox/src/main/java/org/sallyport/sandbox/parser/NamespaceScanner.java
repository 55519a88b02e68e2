package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstDecl;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstTsNamespaceBody;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsImportEqualsDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsModuleBlock;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsNamespaceDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstTsEnumDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstTsModuleDecl;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.parser.NameScope.NamespaceBlock;
import org.sallyport.sandbox.parser.NameScope.TypeScriptNamespace;

/** Finds the blocks of the namespaces of TypeScript, and what they export, for a {@link ScopeAnalysis}. */
final class NamespaceScanner {
    private final BiConsumer<ISwc4jAst, NameScope> other;

    /**
     * @param other visits the statements of the blocks, each with the scope of its block
     */
    NamespaceScanner(BiConsumer<ISwc4jAst, NameScope> other) {
        this.other = other;
    }

    /**
     * Visits a namespace that no other namespace exports.
     *
     * @param statement the statement that declares it, which may be an export
     * @param scope the scope around the statement
     */
    void visit(Swc4jAstTsModuleDecl module, ISwc4jAst statement, NameScope scope) {
        visit(module, statement, scope, null, false);
    }

    /**
     * @param container the block that exports the namespace, or null
     * @param ambient whether it is inside a declaration without code, which exports all that it declares
     */
    private void visit(
            Swc4jAstTsModuleDecl module,
            ISwc4jAst statement,
            NameScope scope,
            @Nullable NamespaceBlock container,
            boolean ambient) {
        if (!(module.getId() instanceof Swc4jAstIdent name) || module.getBody().isEmpty() || module.isGlobal()) {
            return;
        }
        scope.declare(name.getSym());
        NamespaceBlock block = container == null
                ? new NamespaceBlock(scope.localNamespace(name.getSym()), statement, name.getSym())
                : container.exported(name.getSym());
        visitBody(module.getBody().get(), scope.newNamespaceBlock(block), block, ambient || module.isDeclare());
    }

    private void visitBody(
            ISwc4jAstTsNamespaceBody first, NameScope firstScope, NamespaceBlock firstBlock, boolean ambient) {
        ISwc4jAstTsNamespaceBody body = first;
        NameScope scope = firstScope;
        NamespaceBlock block = firstBlock;
        while (body instanceof Swc4jAstTsNamespaceDecl inner) {
            String name = inner.getId().getSym();
            scope.declare(name);
            block.namespace().export(name);
            block = block.exported(name);
            scope = scope.newNamespaceBlock(block);
            body = inner.getBody();
        }
        if (body instanceof Swc4jAstTsModuleBlock statements) {
            for (ISwc4jAst item : statements.getBody()) {
                visitItem(item, scope, block, ambient);
            }
        }
    }

    private void visitItem(ISwc4jAst item, NameScope scope, NamespaceBlock block, boolean ambient) {
        TypeScriptNamespace namespace = block.namespace();
        if (item instanceof Swc4jAstTsImportEqualsDecl alias && alias.isExport()) {
            namespace.export(alias.getId().getSym());
        }
        ISwc4jAst declaration = item instanceof Swc4jAstExportDecl exported ? exported.getDecl() : item;
        boolean exports = item instanceof Swc4jAstExportDecl || (ambient && item instanceof ISwc4jAstDecl);
        if (exports) {
            TopLevelDeclarations.declaredNames(declaration).forEach(namespace::export);
        }
        if (exports && declaration instanceof Swc4jAstTsEnumDecl type) {
            namespace.export(type.getId().getSym());
        }
        if (!(declaration instanceof Swc4jAstTsModuleDecl inner)) {
            other.accept(declaration, scope);
            return;
        }
        if (exports && inner.getId() instanceof Swc4jAstIdent name) {
            namespace.export(name.getSym());
        }
        visit(inner, item, scope, exports ? block : null, ambient);
    }
}
