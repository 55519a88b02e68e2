package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstClass;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstConstructor;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstFunction;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstGetterProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstParam;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstSetterProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstStaticBlock;
import com.caoccao.javet.swc4j.ast.enums.Swc4jAstVarDeclKind;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstClassExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstFnExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstObjectLit;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstTsType;
import com.caoccao.javet.swc4j.ast.miscs.Swc4jAstCatchClause;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportNamedSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsImportEqualsDecl;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstArrayPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstAssignPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstAssignPatProp;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstBindingIdent;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstKeyValuePatProp;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstObjectPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstRestPat;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstBlockStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstBreakStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstClassDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstContinueStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstFnDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstForInStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstForOfStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstForStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstLabeledStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstSwitchStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstTsEnumDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstTsInterfaceDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstTsModuleDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstTsTypeAliasDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstUsingDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDeclarator;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsEnumMember;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsExprWithTypeArgs;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsIndexSignature;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsParamProp;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsTypeAnn;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsTypeParamDecl;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsTypeParamInstantiation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scopes of a script and the places where it uses names as values. Types are left out. Made by one walk over the
 * tree, which is not recursive, because a long chain of operators is a deep tree.
 */
final class ScopeAnalysis {
    private final NameScope root = NameScope.root();
    private final List<NameReference> references = new ArrayList<>();
    private final Deque<ScopeVisit> open = new ArrayDeque<>();
    private final NamespaceScanner namespaces = new NamespaceScanner(this::push);

    /**
     * A use of a name as a value.
     *
     * @param scope the innermost scope around it
     * @param shorthand whether it is also the name of a member, as in {@code {name}}
     */
    record NameReference(Swc4jAstIdent identifier, NameScope scope, boolean shorthand) {}

    /** What an identifier in a pattern is. */
    private enum IdentifierUse {
        REFERENCE,
        /** Declared by {@code let}, {@code const}, {@code class}, {@code using}, a parameter. */
        LEXICAL,
        /** Declared by {@code var}. */
        VAR
    }

    private record ScopeVisit(ISwc4jAst node, NameScope scope, IdentifierUse use) {}

    private ScopeAnalysis() {}

    static ScopeAnalysis of(SyntaxTree tree) {
        ScopeAnalysis scopes = new ScopeAnalysis();
        scopes.pushAll(tree.items(), scopes.root);
        while (!scopes.open.isEmpty()) {
            ScopeVisit visit = scopes.open.pop();
            scopes.visit(visit.node(), visit.scope(), visit.use());
        }
        return scopes;
    }

    /** Returns the offsets at which the script uses a name that its top level declares, by name. */
    Map<String, List<Integer>> topLevelUses(SyntaxTree tree) {
        Map<String, List<Integer>> offsets = new HashMap<>();
        for (NameReference each : references) {
            if (each.scope().find(each.identifier().getSym()) == root) {
                offsets.computeIfAbsent(each.identifier().getSym(), any -> new ArrayList<>())
                        .add(tree.start(each.identifier()));
            }
        }
        return offsets;
    }

    /** Returns all uses of names, in no particular order. */
    List<NameReference> references() {
        return references;
    }

    private void push(ISwc4jAst node, NameScope scope) {
        open.push(new ScopeVisit(node, scope, IdentifierUse.REFERENCE));
    }

    private void push(ISwc4jAst node, NameScope scope, IdentifierUse use) {
        open.push(new ScopeVisit(node, scope, use));
    }

    private void pushAll(List<? extends ISwc4jAst> nodes, NameScope scope) {
        nodes.forEach(node -> push(node, scope));
    }

    private void pushChildren(ISwc4jAst node, NameScope scope, IdentifierUse use) {
        for (ISwc4jAst child : node.getChildNodes()) {
            if (child != null) {
                push(child, scope, use);
            }
        }
    }

    private void visit(ISwc4jAst node, NameScope scope, IdentifierUse use) {
        if (isType(node)) {
            return;
        }
        if (node instanceof Swc4jAstIdent name) {
            visitIdentifier(name, scope, use, false);
        } else if (!visitPattern(node, scope, use) && !visitDeclaration(node, scope) && !visitScope(node, scope)) {
            visitOther(node, scope);
        }
    }

    private static boolean isType(ISwc4jAst node) {
        return node instanceof ISwc4jAstTsType
                || node instanceof Swc4jAstTsTypeAnn
                || node instanceof Swc4jAstTsTypeParamDecl
                || node instanceof Swc4jAstTsTypeParamInstantiation
                || node instanceof Swc4jAstTsInterfaceDecl
                || node instanceof Swc4jAstTsTypeAliasDecl
                || node instanceof Swc4jAstTsExprWithTypeArgs
                || node instanceof Swc4jAstTsIndexSignature;
    }

    private void visitIdentifier(Swc4jAstIdent name, NameScope scope, IdentifierUse use, boolean shorthand) {
        switch (use) {
            case REFERENCE -> references.add(new NameReference(name, scope, shorthand));
            case LEXICAL -> scope.declare(name.getSym());
            case VAR -> scope.declareInFunction(name.getSym());
        }
    }

    private boolean visitPattern(ISwc4jAst node, NameScope scope, IdentifierUse use) {
        if (node instanceof Swc4jAstBindingIdent variable) {
            push(variable.getId(), scope, use);
        } else if (node instanceof Swc4jAstAssignPat withDefault) {
            push(withDefault.getLeft(), scope, use);
            push(withDefault.getRight(), scope);
        } else if (node instanceof Swc4jAstAssignPatProp property) {
            visitIdentifier(property.getKey().getId(), scope, use, true);
            property.getValue().ifPresent(value -> push(value, scope));
        } else if (node instanceof Swc4jAstKeyValuePatProp property) {
            push(property.getKey(), scope);
            push(property.getValue(), scope, use);
        } else if (node instanceof Swc4jAstObjectPat
                || node instanceof Swc4jAstArrayPat
                || node instanceof Swc4jAstRestPat) {
            pushChildren(node, scope, use);
        } else {
            return false;
        }
        return true;
    }

    private boolean visitDeclaration(ISwc4jAst node, NameScope scope) {
        if (node instanceof Swc4jAstVarDecl variables) {
            boolean var = variables.getKind() == Swc4jAstVarDeclKind.Var;
            visitDeclarators(variables.getDecls(), scope, var ? IdentifierUse.VAR : IdentifierUse.LEXICAL);
        } else if (node instanceof Swc4jAstUsingDecl resources) {
            visitDeclarators(resources.getDecls(), scope, IdentifierUse.LEXICAL);
        } else if (node instanceof Swc4jAstFnDecl function) {
            scope.declare(function.getIdent().getSym());
            push(function.getFunction(), scope);
        } else if (node instanceof Swc4jAstClassDecl type) {
            scope.declare(type.getIdent().getSym());
            push(type.getClazz(), scope);
        } else if (node instanceof Swc4jAstTsEnumDecl type) {
            visitEnum(type, scope);
        } else if (node instanceof Swc4jAstTsModuleDecl module) {
            namespaces.visit(module, module, scope);
        } else if (node instanceof Swc4jAstExportDecl exported
                && exported.getDecl() instanceof Swc4jAstTsModuleDecl module) {
            namespaces.visit(module, exported, scope);
        } else if (node instanceof Swc4jAstTsImportEqualsDecl declaration) {
            scope.declare(declaration.getId().getSym());
            push(declaration.getModuleRef(), scope);
        } else if (node instanceof Swc4jAstImportDecl) {
            TopLevelDeclarations.namesInScope(node).forEach(scope::declare);
        } else {
            return false;
        }
        return true;
    }

    private void visitDeclarators(List<Swc4jAstVarDeclarator> declarators, NameScope scope, IdentifierUse use) {
        for (Swc4jAstVarDeclarator each : declarators) {
            push(each.getName(), scope, use);
            each.getInit().ifPresent(value -> push(value, scope));
        }
    }

    private void visitEnum(Swc4jAstTsEnumDecl type, NameScope scope) {
        scope.declare(type.getId().getSym());
        NameScope members = scope.newBlock();
        for (Swc4jAstTsEnumMember each : type.getMembers()) {
            if (each.getId() instanceof Swc4jAstIdent name) {
                members.declare(name.getSym());
            }
            each.getInit().ifPresent(value -> push(value, members));
        }
    }

    private boolean visitScope(ISwc4jAst node, NameScope scope) {
        if (node instanceof Swc4jAstFunction function) {
            NameScope inner = scope.newFunction();
            pushAll(function.getDecorators(), scope);
            function.getParams().forEach(each -> {
                pushAll(each.getDecorators(), scope);
                push(each.getPat(), inner, IdentifierUse.LEXICAL);
            });
            function.getBody().ifPresent(body -> pushAll(body.getStmts(), inner));
        } else if (node instanceof Swc4jAstArrowExpr arrow) {
            NameScope inner = scope.newFunction();
            arrow.getParams().forEach(each -> push(each, inner, IdentifierUse.LEXICAL));
            push(arrow.getBody(), inner);
        } else if (node instanceof Swc4jAstConstructor constructor) {
            NameScope inner = scope.newFunction();
            pushAll(constructor.getParams(), inner);
            constructor.getBody().ifPresent(body -> pushAll(body.getStmts(), inner));
        } else if (node instanceof Swc4jAstTsParamProp property) {
            pushAll(property.getDecorators(), scope);
            push(property.getParam(), scope, IdentifierUse.LEXICAL);
        } else if (node instanceof Swc4jAstParam parameter) {
            pushAll(parameter.getDecorators(), scope);
            push(parameter.getPat(), scope, IdentifierUse.LEXICAL);
        } else if (node instanceof Swc4jAstGetterProp getter) {
            push(getter.getKey(), scope);
            getter.getBody().ifPresent(body -> push(body, scope.newFunction()));
        } else if (node instanceof Swc4jAstSetterProp setter) {
            NameScope inner = scope.newFunction();
            push(setter.getKey(), scope);
            push(setter.getParam(), inner, IdentifierUse.LEXICAL);
            setter.getBody().ifPresent(body -> push(body, inner));
        } else if (node instanceof Swc4jAstStaticBlock block) {
            push(block.getBody(), scope.newFunction());
        } else if (node instanceof Swc4jAstFnExpr function) {
            NameScope inner = scope.newBlock();
            function.getIdent().ifPresent(name -> inner.declare(name.getSym()));
            push(function.getFunction(), inner);
        } else if (node instanceof Swc4jAstClassExpr type) {
            NameScope inner = scope.newBlock();
            type.getIdent().ifPresent(name -> inner.declare(name.getSym()));
            push(type.getClazz(), inner);
        } else if (node instanceof Swc4jAstCatchClause handler) {
            NameScope inner = scope.newBlock();
            handler.getParam().ifPresent(parameter -> push(parameter, inner, IdentifierUse.LEXICAL));
            push(handler.getBody(), inner);
        } else if (node instanceof Swc4jAstBlockStmt
                || node instanceof Swc4jAstForStmt
                || node instanceof Swc4jAstForInStmt
                || node instanceof Swc4jAstForOfStmt
                || node instanceof Swc4jAstSwitchStmt
                || node instanceof Swc4jAstClass) {
            pushChildren(node, scope.newBlock(), IdentifierUse.REFERENCE);
        } else {
            return false;
        }
        return true;
    }

    private void visitOther(ISwc4jAst node, NameScope scope) {
        if (node instanceof Swc4jAstLabeledStmt labeled) {
            push(labeled.getBody(), scope);
        } else if (node instanceof Swc4jAstObjectLit object) {
            for (ISwc4jAst property : object.getProps()) {
                if (property instanceof Swc4jAstIdent name) {
                    visitIdentifier(name, scope, IdentifierUse.REFERENCE, true);
                } else {
                    push(property, scope);
                }
            }
        } else if (node instanceof Swc4jAstExportNamedSpecifier specifier) {
            push(specifier.getOrig(), scope);
        } else if (!(node instanceof Swc4jAstBreakStmt) && !(node instanceof Swc4jAstContinueStmt)) {
            pushChildren(node, scope, IdentifierUse.REFERENCE);
        }
    }
}
