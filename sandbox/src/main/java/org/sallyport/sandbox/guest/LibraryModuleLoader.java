package org.sallyport.sandbox.guest;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Source;
import org.sallyport.sandbox.LibraryModule;

/** Loads the library modules that scripts may use. A module is used only after its hash was verified. */
final class LibraryModuleLoader {
    private static final String WRAPPER_PREFIX = "(function(exports,require,module){\n";
    private static final String WRAPPER_SUFFIX = "\n})";

    private final Map<String, LibraryModule> byId = new TreeMap<>();
    private final Map<String, LibraryModule> newestByName = new TreeMap<>();
    private final Map<String, Source> sources = new ConcurrentHashMap<>();

    LibraryModuleLoader(List<LibraryModule> modules) {
        for (LibraryModule module : modules) {
            byId.put(moduleId(module), module);
            newestByName.merge(module.name(), module, LibraryModuleLoader::newer);
        }
    }

    /** Resolves a name with or without a version to {@code name@version}; or returns {@code !}, a code and a reason. */
    String resolveId(String name) {
        LibraryModule module = byId.containsKey(name) ? byId.get(name) : newestByName.get(name);
        if (module != null) {
            return moduleId(module);
        }
        String known = byId.isEmpty()
                ? "no module is registered"
                : "registered are " + byId.keySet().stream().limit(20).collect(Collectors.joining(", "));
        return "!module-not-allowed " + known;
    }

    /**
     * Returns a function of {@code exports}, {@code require} and {@code module}; or a text of {@code !}, a code and a
     * reason.
     */
    Object evaluate(Context context, String id) {
        LibraryModule module = byId.get(id);
        if (module == null) {
            throw new IllegalArgumentException();
        }
        Source known = sources.get(id);
        if (known != null) {
            return context.eval(known);
        }
        byte[] bytes = module.code().getBytes(StandardCharsets.UTF_8);
        if (!HexFormat.of().formatHex(ByteFunctions.digest("SHA-256", bytes)).equals(module.sha256())) {
            return "!module-integrity The code of module " + id + " is not the one that was registered";
        }
        Source source = GuestEngine.source(
                StackTraceMapper.LIBRARY_PREFIX + module.name(), WRAPPER_PREFIX + module.code() + WRAPPER_SUFFIX);
        sources.put(id, source);
        return context.eval(source);
    }

    private static String moduleId(LibraryModule module) {
        return module.name() + "@" + module.version();
    }

    private static LibraryModule newer(LibraryModule one, LibraryModule other) {
        return compareVersions(one.version(), other.version()) >= 0 ? one : other;
    }

    /** Compares semantic versions by their numbers; a pre-release sorts before its release. */
    static int compareVersions(String one, String other) {
        String[] left = one.split("[-+]", 2)[0].split("\\.");
        String[] right = other.split("[-+]", 2)[0].split("\\.");
        for (int i = 0; i < Math.max(left.length, right.length); i++) {
            int order = Long.compare(number(left, i), number(right, i));
            if (order != 0) {
                return order;
            }
        }
        boolean leftIsFinal = !one.contains("-");
        boolean rightIsFinal = !other.contains("-");
        return leftIsFinal == rightIsFinal ? one.compareTo(other) : Boolean.compare(leftIsFinal, rightIsFinal);
    }

    private static long number(String[] parts, int index) {
        return index < parts.length && parts[index].matches("\\d{1,15}") ? Long.parseLong(parts[index]) : 0;
    }
}
