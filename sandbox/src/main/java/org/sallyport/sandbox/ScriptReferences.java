package org.sallyport.sandbox;

import java.util.List;

/**
 * The names that a script refers to, in the order of the script. They come from its tokens only: a name that the script
 * declares itself is among them.
 *
 * @param paths names separated by dots, such as {@code demo.add}, that do not follow another expression; at most
 *     {@link #MAX_PATHS}
 * @param modules modules that are imported or required by a literal name; at most {@link #MAX_MODULES}
 */
public record ScriptReferences(List<ReferencePath> paths, List<ModuleReference> modules) {
    public static final int MAX_PATHS = 10_000;
    public static final int MAX_MODULES = 500;
    /** Enough for {@code tools}, a backend and a tool. */
    public static final int MAX_NAMES_PER_PATH = 3;

    /** The references of a script that was not scanned. */
    public static final ScriptReferences NONE = new ScriptReferences(List.of(), List.of());

    public ScriptReferences {
        paths = List.copyOf(paths);
        modules = List.copyOf(modules);
    }

    /**
     * Names separated by dots.
     *
     * @param names the first names, from two to {@link #MAX_NAMES_PER_PATH}
     * @param line line of the first name, from 1
     * @param column column of the first name, from 1, in UTF-16 code units
     */
    public record ReferencePath(List<String> names, int line, int column) {
        public ReferencePath {
            names = List.copyOf(names);
        }
    }

    /**
     * The name of a module.
     *
     * @param line line of the name, from 1
     * @param column column of the name, from 1, in UTF-16 code units
     */
    public record ModuleReference(String name, int line, int column) {}

    /** Returns the characters of all names. */
    public long chars() {
        long chars = 0;
        for (ReferencePath path : paths) {
            for (String name : path.names()) {
                chars += name.length();
            }
        }
        for (ModuleReference module : modules) {
            chars += module.name().length();
        }
        return chars;
    }
}
