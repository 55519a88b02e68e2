package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.enums.Swc4jAstVarDeclKind;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstFnExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstParenExpr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstBindingIdent;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstClassDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstEmptyStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstFnDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDecl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Analyzes the declarations at the top level of a script. */
final class TopLevelDeclarations {

    /** A function and the name it is bound to. */
    record NamedFunction(String name, ISwc4jAst identifier, ISwc4jAst function) {}

    private TopLevelDeclarations() {}

    /** Returns the expression without the parentheses around it. */
    static ISwc4jAst withoutParentheses(ISwc4jAst expression) {
        ISwc4jAst inner = expression;
        while (inner instanceof Swc4jAstParenExpr parentheses) {
            inner = parentheses.getExpr();
        }
        return inner;
    }

    /** Returns whether the expression is a function whose call yields its return value, so not a generator. */
    static boolean isFunction(ISwc4jAst expression) {
        ISwc4jAst inner = withoutParentheses(expression);
        return inner instanceof Swc4jAstArrowExpr
                || (inner instanceof Swc4jAstFnExpr function
                        && !function.getFunction().isGenerator());
    }

    /**
     * Returns whether a statement has no effect: a semicolon, or a {@code var} without a value, as namespaces produce.
     */
    static boolean isEmpty(ISwc4jAst statement) {
        return statement instanceof Swc4jAstEmptyStmt
                || (statement instanceof Swc4jAstVarDecl variables
                        && variables.getKind() == Swc4jAstVarDeclKind.Var
                        && variables.getDecls().stream()
                                .allMatch(each -> each.getInit().isEmpty()));
    }

    /** Returns the function that a statement declares; empty if it declares anything else. */
    static Optional<NamedFunction> declaredFunction(ISwc4jAst statement) {
        if (statement instanceof Swc4jAstFnDecl declaration) {
            return declaration.getFunction().isGenerator()
                    ? Optional.empty()
                    : Optional.of(namedFunction(declaration.getIdent(), declaration));
        }
        if (statement instanceof Swc4jAstVarDecl variables
                && variables.getDecls().size() == 1
                && variables.getDecls().get(0).getName() instanceof Swc4jAstBindingIdent variable) {
            return variables
                    .getDecls()
                    .get(0)
                    .getInit()
                    .filter(TopLevelDeclarations::isFunction)
                    .map(function -> namedFunction(variable.getId(), function));
        }
        return Optional.empty();
    }

    /** Returns the simple names that a statement declares; names in destructuring patterns are not included. */
    static List<String> declaredNames(ISwc4jAst statement) {
        List<String> names = new ArrayList<>();
        if (statement instanceof Swc4jAstFnDecl declaration) {
            names.add(declaration.getIdent().getSym());
        } else if (statement instanceof Swc4jAstClassDecl declaration) {
            names.add(declaration.getIdent().getSym());
        } else if (statement instanceof Swc4jAstVarDecl variables) {
            variables.getDecls().forEach(each -> {
                if (each.getName() instanceof Swc4jAstBindingIdent variable) {
                    names.add(variable.getId().getSym());
                }
            });
        }
        return names;
    }

    private static NamedFunction namedFunction(Swc4jAstIdent identifier, ISwc4jAst function) {
        return new NamedFunction(identifier.getSym(), identifier, function);
    }
}
