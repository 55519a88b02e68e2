package org.sallyport.sandbox.parser;

import java.util.IdentityHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.parser.NameScope.NamespaceBlock;
import org.sallyport.sandbox.parser.ScopeAnalysis.NameReference;

/**
 * Qualifies names that another block of the same TypeScript namespace exports. After {@code namespace N { export const
 * a = 1 }}, the name {@code a} in a second block of {@code N} becomes {@code N.a}. The native compiler transpiles each
 * block alone and leaves such a name as it is.
 *
 * <p>Where the block or a function in it declares the name {@code N} again, a function that is inserted before the
 * statement of the namespace returns the namespace: {@code a} becomes {@code $N$1().a}.
 */
final class NamespaceMerger {
    private static final Pattern NAMESPACE = Pattern.compile("\\b(?:namespace|module)\\s");

    private final SyntaxTree tree;
    private final TextEdits edits;
    /** The names of the inserted functions. */
    private final IdentityHashMap<NamespaceBlock, String> functionByBlock = new IdentityHashMap<>();

    private int lastNumber;

    private NamespaceMerger(SyntaxTree tree) {
        this.tree = tree;
        edits = new TextEdits(tree.text());
    }

    /** Returns whether {@code code} may have two blocks of one namespace. */
    static boolean isCandidate(String code) {
        return NAMESPACE.matcher(code).results().limit(2).count() == 2;
    }

    /** Returns the script with qualified names. */
    static TextEdits.TextEditResult merge(SyntaxTree tree) {
        NamespaceMerger merger = new NamespaceMerger(tree);
        ScopeAnalysis.of(tree).references().forEach(merger::qualify);
        return merger.edits.applyWithin("", "");
    }

    private void qualify(NameReference reference) {
        NameScope scope = findScope(reference);
        NamespaceBlock block = scope == null ? null : scope.block();
        if (scope == null || block == null) {
            return;
        }
        boolean visible = isVisible(block.namespace().name(), reference.scope(), scope);
        String qualifier = (visible ? block.namespace().name() : functionOf(block) + "()") + ".";
        int start = tree.start(reference.identifier());
        if (reference.shorthand()) {
            String name = reference.identifier().getSym();
            edits.insert(start + tree.slice(reference.identifier()).length(), ": " + qualifier + name, start);
        } else {
            edits.insert(start, qualifier, start);
        }
    }

    /** Returns the scope of the block around a reference whose namespace declares the name in another block. */
    private static @Nullable NameScope findScope(NameReference reference) {
        String name = reference.identifier().getSym();
        NameScope scope = reference.scope();
        while (scope != null && !scope.declares(name)) {
            NamespaceBlock block = scope.block();
            if (block != null && block.namespace().exports(name)) {
                return scope;
            }
            scope = scope.parent();
        }
        return null;
    }

    /** Returns whether no scope from {@code inner} to that of the block declares the name of its namespace again. */
    private static boolean isVisible(String namespace, NameScope inner, NameScope block) {
        for (NameScope scope = inner; scope != null; scope = scope.parent()) {
            if (scope.declares(namespace)) {
                return false;
            }
            if (scope == block) {
                return true;
            }
        }
        return true;
    }

    private String functionOf(NamespaceBlock block) {
        return functionByBlock.computeIfAbsent(block, any -> {
            String function = newName(block.namespace().name());
            edits.insert(tree.start(block.statement()), "const " + function + "=()=>" + block.path() + ";");
            return function;
        });
    }

    private String newName(String namespace) {
        String name;
        do {
            lastNumber++;
            name = "$" + namespace + "$" + lastNumber;
        } while (!tree.mentions(name).isEmpty());
        return name;
    }
}
