package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names that one function, block, class or namespace block declares. Filled by {@link ScopeAnalysis}. */
final class NameScope {
    private final @Nullable NameScope parent;
    private final boolean function;
    private final @Nullable NamespaceBlock block;
    private final Set<String> names = new HashSet<>();
    private final Map<String, TypeScriptNamespace> namespaces = new HashMap<>();

    /** The blocks of one namespace of TypeScript, and what they export. */
    static final class TypeScriptNamespace {
        private final String name;
        private final Set<String> exportedNames = new HashSet<>();
        private final Map<String, TypeScriptNamespace> exportedNamespaces = new HashMap<>();

        TypeScriptNamespace(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        boolean exports(String member) {
            return exportedNames.contains(member);
        }

        void export(String member) {
            exportedNames.add(member);
        }

        /** Returns the exported namespace {@code inner}, which all blocks of this namespace share. */
        TypeScriptNamespace exportedNamespace(String inner) {
            return exportedNamespaces.computeIfAbsent(inner, TypeScriptNamespace::new);
        }
    }

    /**
     * A block of a namespace.
     *
     * @param statement a statement before which the namespace can be named: the one that declares it, or declares the
     *     namespace that exports it
     * @param path the name of the namespace there, such as {@code A.B}
     */
    record NamespaceBlock(TypeScriptNamespace namespace, ISwc4jAst statement, String path) {

        /** Returns a block of a namespace that this one exports. */
        NamespaceBlock exported(String inner) {
            return new NamespaceBlock(namespace.exportedNamespace(inner), statement, path + "." + inner);
        }
    }

    private NameScope(@Nullable NameScope parent, boolean function, @Nullable NamespaceBlock block) {
        this.parent = parent;
        this.function = function;
        this.block = block;
    }

    /** Creates the scope of a whole script. */
    static NameScope root() {
        return new NameScope(null, true, null);
    }

    NameScope newBlock() {
        return new NameScope(this, false, null);
    }

    NameScope newFunction() {
        return new NameScope(this, true, null);
    }

    NameScope newNamespaceBlock(NamespaceBlock inner) {
        return new NameScope(this, true, inner);
    }

    @Nullable NameScope parent() {
        return parent;
    }

    /** Returns the block of a namespace that has this scope, or null. */
    @Nullable NamespaceBlock block() {
        return block;
    }

    void declare(String name) {
        names.add(name);
    }

    /** Declares a name in the function around, as {@code var} does. */
    void declareInFunction(String name) {
        NameScope scope = this;
        while (!scope.function && scope.parent != null) {
            scope = scope.parent;
        }
        scope.names.add(name);
    }

    boolean declares(String name) {
        return names.contains(name);
    }

    /** Returns the namespace {@code inner} that this block declares and does not export. */
    TypeScriptNamespace localNamespace(String inner) {
        return namespaces.computeIfAbsent(inner, TypeScriptNamespace::new);
    }

    /** Returns the scope that declares {@code name}, from this scope outwards; null if none does. */
    @Nullable NameScope find(String name) {
        NameScope scope = this;
        while (scope != null && !scope.declares(name)) {
            scope = scope.parent;
        }
        return scope;
    }
}
