package org.sallyport.sandbox.parser;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names that one function, block, class or namespace block declares. Filled by {@link ScopeAnalysis}. */
final class NameScope {
    private final @Nullable NameScope parent;
    private final boolean function;
    private final @Nullable TypeScriptNamespace namespace;
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

    private NameScope(@Nullable NameScope parent, boolean function, @Nullable TypeScriptNamespace namespace) {
        this.parent = parent;
        this.function = function;
        this.namespace = namespace;
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

    NameScope newNamespaceBlock(TypeScriptNamespace of) {
        return new NameScope(this, true, of);
    }

    @Nullable NameScope parent() {
        return parent;
    }

    /** Returns the namespace whose block this is, or null. */
    @Nullable TypeScriptNamespace namespace() {
        return namespace;
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
