package org.sallyport.connector.sallyport;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sallyport.connector.BackendSettings;

/**
 * The imported namespaces of a remote installation: backends, all {@code capabilities}, or the capabilities whose names
 * begin with {@code capabilities.…}.
 *
 * @param namespaces their remote names
 * @param prefixed whether local tool names include the namespace
 */
record ImportedNamespaces(List<String> namespaces, boolean prefixed) {
    /** Prefix of the remote names of capabilities. */
    static final String CAPABILITIES_PREFIX = "capabilities.";

    private static final int MAX_NAMESPACES = 100;
    private static final Pattern NAME =
            Pattern.compile("capabilities(\\.[A-Za-z0-9_-]{1,100}){0,8}|(?!capabilities$)[A-Za-z][A-Za-z0-9_-]{0,62}");

    ImportedNamespaces {
        namespaces = List.copyOf(namespaces);
    }

    /**
     * Reads the configured namespaces; the default is the namespace with the name of the backend. Throws
     * {@code InvalidBackendException} if they are invalid.
     */
    static ImportedNamespaces of(BackendSettings settings, String backend) {
        Optional<String> one = settings.optionalText("namespace");
        List<String> several = settings.textList("namespaces");
        if (one.isPresent() && !several.isEmpty()) {
            throw settings.invalid("namespaces", "cannot be combined with 'namespace'");
        } else if (several.size() > MAX_NAMESPACES
                || several.stream().distinct().count() < several.size()) {
            throw settings.invalid("namespaces", "must be at most " + MAX_NAMESPACES + ", each once");
        }
        several.forEach(name -> check(settings, "namespaces", name));
        one.ifPresent(name -> check(settings, "namespace", name));
        return several.isEmpty()
                ? new ImportedNamespaces(List.of(one.orElse(backend)), false)
                : new ImportedNamespaces(several, true);
    }

    private static void check(BackendSettings settings, String member, String name) {
        if (!NAME.matcher(name).matches()) {
            throw settings.invalid(
                    member, "has '" + name + "', which is neither a backend's name nor capabilities[.…]");
        }
    }

    /** The namespaces that are backends of the remote installation. */
    List<String> backendNames() {
        return namespaces.stream().filter(name -> !isCapabilityNamespace(name)).toList();
    }

    /** Name prefixes of the imported capabilities; an empty prefix stands for all capabilities. */
    List<String> capabilityPrefixes() {
        List<String> prefixes = new ArrayList<>();
        namespaces.stream()
                .filter(ImportedNamespaces::isCapabilityNamespace)
                .forEach(name -> prefixes.add(
                        name.length() < CAPABILITIES_PREFIX.length()
                                ? ""
                                : name.substring(CAPABILITIES_PREFIX.length()) + "."));
        return prefixes;
    }

    private static boolean isCapabilityNamespace(String name) {
        return (name + ".").startsWith(CAPABILITIES_PREFIX);
    }

    /** Maps remote tool names to the names by which they are declared here, for the names within these namespaces. */
    Map<String, String> localNames(Collection<String> there) {
        Map<String, String> shorter = new LinkedHashMap<>();
        there.forEach(name -> namespaces.stream()
                .filter(space -> name.startsWith(space + "."))
                .findFirst()
                .ifPresent(space -> shorter.put(name, prefixed ? name : name.substring(space.length() + 1))));
        return shorter;
    }
}
