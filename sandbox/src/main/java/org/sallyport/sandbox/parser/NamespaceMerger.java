package org.sallyport.sandbox.parser;

import java.util.Optional;
import java.util.regex.Pattern;
import org.sallyport.sandbox.parser.NameScope.TypeScriptNamespace;
import org.sallyport.sandbox.parser.ScopeAnalysis.NameReference;

/**
 * Qualifies names that another block of the same TypeScript namespace exports. After {@code namespace N { export const
 * a = 1 }}, the name {@code a} in a second block of {@code N} becomes {@code N.a}. The native compiler transpiles each
 * block alone and leaves such a name as it is.
 */
final class NamespaceMerger {
    private static final Pattern NAMESPACE = Pattern.compile("\\b(?:namespace|module)\\s");

    private NamespaceMerger() {}

    /** Returns whether {@code code} may have two blocks of one namespace. */
    static boolean isCandidate(String code) {
        return NAMESPACE.matcher(code).results().limit(2).count() == 2;
    }

    /** Returns the script with qualified names. */
    static TextEdits.TextEditResult merge(SyntaxTree tree) {
        TextEdits edits = new TextEdits(tree.text());
        for (NameReference reference : ScopeAnalysis.of(tree).references()) {
            findNamespace(reference).ifPresent(namespace -> qualify(reference, namespace.name() + ".", tree, edits));
        }
        return edits.applyWithin("", "");
    }

    private static void qualify(NameReference reference, String qualifier, SyntaxTree tree, TextEdits edits) {
        int start = tree.start(reference.identifier());
        if (reference.shorthand()) {
            String name = reference.identifier().getSym();
            edits.insert(start + tree.slice(reference.identifier()).length(), ": " + qualifier + name, start);
        } else {
            edits.insert(start, qualifier, start);
        }
    }

    /** Returns the namespace that declares the name, if another of its blocks does so. */
    private static Optional<TypeScriptNamespace> findNamespace(NameReference reference) {
        String name = reference.identifier().getSym();
        NameScope scope = reference.scope();
        while (scope != null && !scope.declares(name)) {
            TypeScriptNamespace namespace = scope.namespace();
            if (namespace != null && namespace.exports(name)) {
                return isVisible(namespace, reference.scope(), scope) ? Optional.of(namespace) : Optional.empty();
            }
            scope = scope.parent();
        }
        return Optional.empty();
    }

    /** Returns whether no scope from {@code inner} to the block of the namespace declares its name again. */
    private static boolean isVisible(TypeScriptNamespace namespace, NameScope inner, NameScope block) {
        for (NameScope scope = inner; scope != null; scope = scope.parent()) {
            if (scope.declares(namespace.name())) {
                return false;
            }
            if (scope == block) {
                return true;
            }
        }
        return true;
    }
}
