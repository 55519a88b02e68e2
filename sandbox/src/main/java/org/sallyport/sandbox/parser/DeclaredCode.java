package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstKeyValueProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstMethodProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstStaticBlock;
import com.caoccao.javet.swc4j.ast.enums.Swc4jAstAssignOp;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstAssignExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstClassExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstFnExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstNewExpr;
import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstObjectLit;
import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstStr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDecl;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstBindingIdent;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstClassDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstEmptyStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstExprStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstFnDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDecl;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.sandbox.parser.TopLevelDeclarations.NamedFunction;

/**
 * What a script binds to names at its top level and what runs only if the script uses these names: functions, classes
 * and objects with functions; if the script does nothing but declare, also instances of its classes.
 */
final class DeclaredCode {
    private final Set<String> names = new HashSet<>();
    private final Set<String> functions = new HashSet<>();
    private final Set<String> classes = new HashSet<>();

    private DeclaredCode(List<? extends ISwc4jAst> items) {
        for (ISwc4jAst item : items) {
            names.addAll(TopLevelDeclarations.declaredNames(item));
            TopLevelDeclarations.declaredFunctions(item).forEach(function -> functions.add(function.name()));
            if (item instanceof Swc4jAstClassDecl declaration) {
                classes.add(declaration.getIdent().getSym());
            }
        }
        if (!items.stream().allMatch(DeclaredCode::isDeclaration)) {
            // A constructor may be what the script is for.
            classes.clear();
        }
    }

    /** Returns such code in the order of the script. */
    static List<NamedFunction> of(List<? extends ISwc4jAst> items) {
        DeclaredCode code = new DeclaredCode(items);
        return items.stream().flatMap(item -> code.find(item).stream()).toList();
    }

    /** Returns all functions that a statement declares or assigns to a name, also generators. */
    static List<NamedFunction> functionsOf(ISwc4jAst statement) {
        if (statement instanceof Swc4jAstFnDecl declaration) {
            return List.of(TopLevelDeclarations.namedFunction(declaration.getIdent(), declaration));
        }
        List<NamedFunction> found = new ArrayList<>(
                TopLevelDeclarations.initializedVariables(statement, DeclaredCode::isFunctionExpression));
        assignedFunction(statement).ifPresent(found::add);
        return found;
    }

    /** Returns the function that a statement assigns to a name, as in {@code main = async () => 1}. */
    static Optional<NamedFunction> assignedFunction(ISwc4jAst statement) {
        return statement instanceof Swc4jAstExprStmt expression
                        && TopLevelDeclarations.withoutParentheses(expression.getExpr())
                                instanceof Swc4jAstAssignExpr assignment
                        && assignment.getOp() == Swc4jAstAssignOp.Assign
                        && assignment.getLeft() instanceof Swc4jAstBindingIdent target
                        && isFunctionExpression(assignment.getRight())
                ? Optional.of(TopLevelDeclarations.namedFunction(target.getId(), assignment.getRight()))
                : Optional.empty();
    }

    private List<NamedFunction> find(ISwc4jAst item) {
        if (item instanceof Swc4jAstFnDecl) {
            return functionsOf(item);
        }
        if (item instanceof Swc4jAstClassDecl declaration) {
            // A static block runs at once; decorators become static blocks.
            return declaration.getClazz().getBody().stream().anyMatch(Swc4jAstStaticBlock.class::isInstance)
                    ? List.of()
                    : List.of(TopLevelDeclarations.namedFunction(declaration.getIdent(), declaration));
        }
        if (item instanceof Swc4jAstVarDecl) {
            return TopLevelDeclarations.initializedVariables(item, this::isCode);
        }
        return assignedFunction(item).filter(function -> names.contains(function.name())).stream()
                .toList();
    }

    private static boolean isFunctionExpression(ISwc4jAst expression) {
        ISwc4jAst inner = TopLevelDeclarations.withoutParentheses(expression);
        return inner instanceof Swc4jAstFnExpr || inner instanceof Swc4jAstArrowExpr;
    }

    private boolean isCode(ISwc4jAst expression) {
        ISwc4jAst inner = TopLevelDeclarations.withoutParentheses(expression);
        return isFunctionExpression(inner)
                || inner instanceof Swc4jAstClassExpr
                || (inner instanceof Swc4jAstObjectLit object
                        && object.getProps().stream().anyMatch(this::isFunctionMember))
                || (inner instanceof Swc4jAstNewExpr instance
                        && instance.getCallee() instanceof Swc4jAstIdent type
                        && classes.contains(type.getSym()));
    }

    private boolean isFunctionMember(ISwc4jAst property) {
        ISwc4jAst value = property instanceof Swc4jAstKeyValueProp member ? member.getValue() : property;
        return value instanceof Swc4jAstMethodProp
                || TopLevelDeclarations.isFunction(value)
                || (value instanceof Swc4jAstIdent name && functions.contains(name.getSym()));
    }

    private static boolean isDeclaration(ISwc4jAst item) {
        return item instanceof Swc4jAstFnDecl
                || item instanceof Swc4jAstClassDecl
                || item instanceof Swc4jAstVarDecl
                || item instanceof Swc4jAstImportDecl
                || item instanceof Swc4jAstEmptyStmt
                || (item instanceof Swc4jAstExprStmt text && text.getExpr() instanceof Swc4jAstStr);
    }
}
