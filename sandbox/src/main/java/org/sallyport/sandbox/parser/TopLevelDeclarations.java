package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.enums.Swc4jAstVarDeclKind;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstFnExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstParenExpr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstImportSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDefaultDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDefaultSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportNamedSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportStarAsSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstTsImportEqualsDecl;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstArrayPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstAssignPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstAssignPatProp;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstBindingIdent;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstKeyValuePatProp;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstObjectPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstRestPat;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstClassDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstEmptyStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstFnDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstUsingDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstVarDeclarator;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Analyzes the declarations at the top level of a script. */
final class TopLevelDeclarations {

    /** A function, or other code, and the name it is bound to. */
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
        List<NamedFunction> functions = declaredFunctions(statement);
        boolean single = !(statement instanceof Swc4jAstVarDecl variables)
                || variables.getDecls().size() == 1;
        return single ? functions.stream().findFirst() : Optional.empty();
    }

    /** Returns all functions that a statement declares, except generators. */
    static List<NamedFunction> declaredFunctions(ISwc4jAst statement) {
        if (statement instanceof Swc4jAstFnDecl declaration) {
            return declaration.getFunction().isGenerator()
                    ? List.of()
                    : List.of(namedFunction(declaration.getIdent(), declaration));
        }
        return initializedVariables(statement, TopLevelDeclarations::isFunction);
    }

    /** Returns the variables that a statement declares with a matching value. */
    static List<NamedFunction> initializedVariables(ISwc4jAst statement, Predicate<ISwc4jAst> matches) {
        List<NamedFunction> found = new ArrayList<>();
        if (statement instanceof Swc4jAstVarDecl variables) {
            for (Swc4jAstVarDeclarator each : variables.getDecls()) {
                if (each.getName() instanceof Swc4jAstBindingIdent variable) {
                    each.getInit()
                            .filter(matches)
                            .ifPresent(value -> found.add(namedFunction(variable.getId(), value)));
                }
            }
        }
        return found;
    }

    /** Returns the names that a statement declares. */
    static List<String> declaredNames(ISwc4jAst statement) {
        List<String> names = new ArrayList<>();
        if (statement instanceof Swc4jAstFnDecl declaration) {
            names.add(declaration.getIdent().getSym());
        } else if (statement instanceof Swc4jAstClassDecl declaration) {
            names.add(declaration.getIdent().getSym());
        } else if (statement instanceof Swc4jAstVarDecl variables) {
            variables.getDecls().forEach(each -> addNames(each.getName(), names));
        } else if (statement instanceof Swc4jAstUsingDecl resources) {
            resources.getDecls().forEach(each -> addNames(each.getName(), names));
        }
        return names;
    }

    /** Returns the names that an item declares for the rest of the script, as statement, import or export. */
    static List<String> namesInScope(ISwc4jAst item) {
        if (item instanceof Swc4jAstExportDecl exported) {
            return declaredNames(exported.getDecl());
        }
        if (item instanceof Swc4jAstExportDefaultDecl exported
                && exported.getDecl() instanceof Swc4jAstFnExpr function
                && function.getIdent().isPresent()) {
            return List.of(function.getIdent().get().getSym());
        }
        if (item instanceof Swc4jAstImportDecl declaration) {
            return declaration.getSpecifiers().stream()
                    .flatMap(each -> importedName(each).stream())
                    .map(Swc4jAstIdent::getSym)
                    .toList();
        }
        return item instanceof Swc4jAstTsImportEqualsDecl declaration
                ? List.of(declaration.getId().getSym())
                : declaredNames(item);
    }

    private static Optional<Swc4jAstIdent> importedName(ISwc4jAstImportSpecifier specifier) {
        if (specifier instanceof Swc4jAstImportDefaultSpecifier whole) {
            return Optional.of(whole.getLocal());
        }
        if (specifier instanceof Swc4jAstImportStarAsSpecifier all) {
            return Optional.of(all.getLocal());
        }
        return specifier instanceof Swc4jAstImportNamedSpecifier named && !named.isTypeOnly()
                ? Optional.of(named.getLocal())
                : Optional.empty();
    }

    private static void addNames(ISwc4jAst pattern, List<String> names) {
        if (pattern instanceof Swc4jAstBindingIdent variable) {
            names.add(variable.getId().getSym());
        } else if (pattern instanceof Swc4jAstObjectPat object) {
            object.getProps().forEach(property -> addNames(property, names));
        } else if (pattern instanceof Swc4jAstAssignPatProp property) {
            addNames(property.getKey(), names);
        } else if (pattern instanceof Swc4jAstKeyValuePatProp property) {
            addNames(property.getValue(), names);
        } else if (pattern instanceof Swc4jAstArrayPat list) {
            list.getElems().forEach(item -> item.ifPresent(each -> addNames(each, names)));
        } else if (pattern instanceof Swc4jAstAssignPat withDefault) {
            addNames(withDefault.getLeft(), names);
        } else if (pattern instanceof Swc4jAstRestPat rest) {
            addNames(rest.getArg(), names);
        }
    }

    static NamedFunction namedFunction(Swc4jAstIdent identifier, ISwc4jAst function) {
        return new NamedFunction(identifier.getSym(), identifier, function);
    }
}
