package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstFunction;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstGetterProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstSetterProp;
import com.caoccao.javet.swc4j.ast.enums.Swc4jAstUnaryOp;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstAwaitExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstCallExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstExprOrSpread;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstFnExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstJsxElement;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstJsxFragment;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstMemberExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstNewExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstUnaryExpr;
import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstArrayLit;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstClassMember;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstModuleDecl;
import com.caoccao.javet.swc4j.ast.miscs.Swc4jAstOptCall;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImport;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstBindingIdent;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstObjectPat;
import com.caoccao.javet.swc4j.ast.pat.Swc4jAstRestPat;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstForOfStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstReturnStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstUsingDecl;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstWithStmt;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsTypeParamInstantiation;
import com.caoccao.javet.swc4j.outputs.Swc4jParseOutput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The syntax tree of a script with offsets in UTF-16 code units, and the findings of one walk over the whole tree. */
final class SyntaxTree {
    private final String text;
    private final Utf16Offsets offsets;
    private final List<? extends ISwc4jAst> items;
    private final List<ISwc4jAst> dynamicImports = new ArrayList<>();
    private final NameIndex names;
    private boolean hasWith;
    private boolean topLevelReturn;
    private int firstPause = Integer.MAX_VALUE;
    private int firstJsx = -1;
    private final List<ISwc4jAst> restElements = new ArrayList<>();
    private final List<Swc4jAstTsTypeParamInstantiation> typeArguments = new ArrayList<>();
    private final List<UsingDeclaration> usingDeclarations = new ArrayList<>();
    private final List<ISwc4jAst> spreadCalls = new ArrayList<>();

    /**
     * A declaration of a resource.
     *
     * @param parent the statement or block that contains it; null at the top level
     * @param insideAsync whether {@code await} is possible where it stands
     */
    record UsingDeclaration(
            Swc4jAstUsingDecl declaration, @Nullable ISwc4jAst parent, boolean insideAsync) {}

    private record NodeVisit(ISwc4jAst node, @Nullable ISwc4jAst parent, boolean insideFunction, boolean insideAsync) {}

    SyntaxTree(String text, Swc4jParseOutput parsed) {
        this.text = text;
        offsets = new Utf16Offsets(text);
        names = new NameIndex();
        items = parsed.getProgram().getBody();
        walk();
    }

    private SyntaxTree(String text, SyntaxTree other) {
        this.text = text;
        offsets = other.offsets;
        names = other.names;
        items = other.items;
        dynamicImports.addAll(other.dynamicImports);
        hasWith = other.hasWith;
        topLevelReturn = other.topLevelReturn;
        firstPause = other.firstPause;
        firstJsx = other.firstJsx;
        restElements.addAll(other.restElements);
        typeArguments.addAll(other.typeArguments);
        usingDeclarations.addAll(other.usingDeclarations);
        spreadCalls.addAll(other.spreadCalls);
    }

    /** Returns the same tree for a text of the same length that differs in comments only. */
    SyntaxTree withText(String other) {
        return new SyntaxTree(other, this);
    }

    String text() {
        return text;
    }

    /** Returns the statements, imports and exports at the top level. */
    List<? extends ISwc4jAst> items() {
        return items;
    }

    /** Returns the {@code import} words of dynamic imports. */
    List<ISwc4jAst> dynamicImports() {
        return dynamicImports;
    }

    /** Returns whether the script has a {@code return} outside of all functions. */
    boolean hasTopLevelReturn() {
        return topLevelReturn;
    }

    /**
     * Returns whether {@code item} has a {@code return} or an {@code await} outside of all functions, is a
     * {@code using} declaration, or comes after one of these.
     */
    boolean isPausedBy(ISwc4jAst item) {
        return end(item) > firstPause;
    }

    /**
     * Returns the identifiers {@code name} whose members the script uses. The list is empty if the script uses the name
     * for anything else but {@code typeof}, so also if it declares the name.
     */
    List<ISwc4jAst> memberObjects(String name) {
        return names.memberObjects(name);
    }

    /** Returns whether the script has a {@code with} statement or may call {@code eval} directly. */
    boolean hasHiddenNames() {
        return hasWith || !mentions("eval").isEmpty();
    }

    /** Returns whether the script has neither an import nor an export. */
    boolean hasNoModuleItems() {
        return items.stream().noneMatch(item -> item instanceof ISwc4jAstModuleDecl);
    }

    /** Returns the offset of the first JSX element, or empty. */
    Optional<Integer> firstJsxOffset() {
        return firstJsx < 0 ? Optional.empty() : Optional.of(firstJsx);
    }

    /** Returns the rest elements of object patterns, as in {@code let { a, ...other } = b}, in no particular order. */
    List<ISwc4jAst> restElements() {
        return restElements;
    }

    /** Returns the type arguments of calls, classes and types, as in {@code new Set<string>(list)}. */
    List<Swc4jAstTsTypeParamInstantiation> typeArguments() {
        return typeArguments;
    }

    /** Returns whether the script declares a variable or a parameter of this name anywhere, or assigns to it. */
    boolean isVariable(String name) {
        return names.isVariable(name);
    }

    /** Returns the {@code using} and {@code await using} declarations, also those in the heads of loops. */
    List<UsingDeclaration> usingDeclarations() {
        return usingDeclarations;
    }

    /** Returns the calls and creations with spread arguments of any number, in no particular order. */
    List<ISwc4jAst> spreadCalls() {
        return spreadCalls;
    }

    /** Returns a name that the script does not use: {@code name}, if necessary with more characters. */
    String newName(String name) {
        String unused = name;
        while (!mentions(unused).isEmpty()) {
            unused += "$";
        }
        return unused;
    }

    /** Returns the offsets at which {@code name} occurs. */
    List<Integer> mentions(String name) {
        return names.mentions(name);
    }

    /** Returns whether {@code name} occurs anywhere but at {@code except} and between {@code from} and {@code to}. */
    boolean mentions(String name, int except, int from, int to) {
        return mentions(name).stream().anyMatch(at -> at != except && (at < from || at >= to));
    }

    int start(ISwc4jAst node) {
        return toUtf16Offset(node.getSpan().getStart());
    }

    int end(ISwc4jAst node) {
        return toUtf16Offset(node.getSpan().getEnd());
    }

    /** Returns the text of a node. */
    String slice(ISwc4jAst node) {
        return text.substring(start(node), end(node));
    }

    int toUtf16Offset(int points) {
        return offsets.at(points);
    }

    /** Not recursive, because a long chain of operators is a deep tree. */
    private void walk() {
        Deque<NodeVisit> open = new ArrayDeque<>();
        for (ISwc4jAst item : items) {
            open.push(new NodeVisit(item, null, false, true));
        }
        while (!open.isEmpty()) {
            NodeVisit visit = open.pop();
            ISwc4jAst node = visit.node();
            if (node instanceof Swc4jAstUsingDecl resource) {
                usingDeclarations.add(new UsingDeclaration(resource, visit.parent(), visit.insideAsync()));
            }
            visitNode(node, visit);
            boolean inside = visit.insideFunction()
                    || node instanceof Swc4jAstFunction
                    || node instanceof Swc4jAstArrowExpr
                    || node instanceof Swc4jAstFnExpr
                    || node instanceof Swc4jAstGetterProp
                    || node instanceof Swc4jAstSetterProp;
            boolean async = isAsync(node, visit.insideAsync());
            for (ISwc4jAst child : node.getChildNodes()) {
                if (child != null) {
                    boolean member = child instanceof ISwc4jAstClassMember;
                    open.push(new NodeVisit(child, node, inside || member, async && !member));
                }
            }
        }
    }

    /** Returns whether {@code await} is possible in the children of {@code node}. */
    private static boolean isAsync(ISwc4jAst node, boolean outside) {
        if (node instanceof Swc4jAstFunction function) {
            return function.isAsync();
        }
        if (node instanceof Swc4jAstArrowExpr arrow) {
            return arrow.isAsync();
        }
        return outside && !(node instanceof Swc4jAstGetterProp) && !(node instanceof Swc4jAstSetterProp);
    }

    private void visitNode(ISwc4jAst node, NodeVisit visit) {
        if (!visit.insideFunction() && isPause(node, visit.parent())) {
            topLevelReturn |= node instanceof Swc4jAstReturnStmt;
            firstPause = Math.min(firstPause, start(node));
        } else if (node instanceof Swc4jAstWithStmt) {
            hasWith = true;
        } else if (node instanceof Swc4jAstMemberExpr member && member.getObj() instanceof Swc4jAstIdent name) {
            names.addMemberObject(name);
        } else if (node instanceof Swc4jAstUnaryExpr unary
                && unary.getOp() == Swc4jAstUnaryOp.TypeOf
                && unary.getArg() instanceof Swc4jAstIdent name) {
            names.addTypeof(name);
        } else if (node instanceof Swc4jAstCallExpr call && call.getCallee() instanceof Swc4jAstImport word) {
            dynamicImports.add(word);
        } else if (node instanceof Swc4jAstCallExpr call && hasSpread(call.getArgs())
                || node instanceof Swc4jAstNewExpr creation
                        && hasSpread(creation.getArgs().orElse(List.of()))
                || node instanceof Swc4jAstOptCall optionalCall && hasSpread(optionalCall.getArgs())) {
            spreadCalls.add(node);
        } else if (node instanceof Swc4jAstJsxElement || node instanceof Swc4jAstJsxFragment) {
            firstJsx = firstJsx < 0 ? start(node) : Math.min(firstJsx, start(node));
        } else if (node instanceof Swc4jAstTsTypeParamInstantiation types) {
            typeArguments.add(types);
        } else if (node instanceof Swc4jAstBindingIdent variable) {
            names.addVariable(variable.getId());
        } else if (node instanceof Swc4jAstObjectPat pattern) {
            pattern.getProps().stream()
                    .filter(Swc4jAstRestPat.class::isInstance)
                    .forEach(restElements::add);
        } else if (node instanceof Swc4jAstIdent name) {
            names.addMention(name, start(name));
        }
    }

    /** Returns whether an argument is spread. A literal list counts only if a part of it is spread in turn. */
    private static boolean hasSpread(List<Swc4jAstExprOrSpread> arguments) {
        return arguments.stream()
                .anyMatch(each -> each.getSpread().isPresent()
                        && !(each.getExpr() instanceof Swc4jAstArrayLit list
                                && list.getElems().stream()
                                        .flatMap(Optional::stream)
                                        .noneMatch(item -> item.getSpread().isPresent())));
    }

    private static boolean isPause(ISwc4jAst node, @Nullable ISwc4jAst parent) {
        return node instanceof Swc4jAstReturnStmt
                || node instanceof Swc4jAstAwaitExpr
                || (node instanceof Swc4jAstForOfStmt loop && loop.isAwait())
                || (node instanceof Swc4jAstUsingDecl resource && (resource.isAwait() || parent == null));
    }
}
