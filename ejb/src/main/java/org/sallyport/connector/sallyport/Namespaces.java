package org.sallyport.connector.sallyport;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sallyport.catalog.BackendNames;
import org.sallyport.connector.BackendSettings;

/**
 * What is taken over of another installation: backends there, its {@code capabilities}, or those capabilities whose names begin with
 * {@code capabilities.…}.
 *
 * @param all their names there
 * @param prefixed whether tools are named with them here, too
 */
record Namespaces(List<String> all, boolean prefixed) {
    /** What the names of capabilities begin with there. */
    static final String CAPABILITIES = "capabilities.";

    private static final int MOST = 100;
    private static final Pattern NAME =
            Pattern.compile("capabilities(\\.[A-Za-z0-9_-]{1,100}){0,8}|(?!capabilities$)[A-Za-z][A-Za-z0-9_-]{0,62}");

    Namespaces {
        all = List.copyOf(all);
    }

    /** As they are set; else the one that is named like the backend itself. */
    static Namespaces of(BackendSettings settings, String backend) {
        Optional<String> one = settings.optionalText("namespace");
        List<String> several = settings.texts("namespaces");
        if (one.isPresent() && !several.isEmpty()) {
            throw settings.fault("namespaces", "cannot stand beside 'namespace'");
        } else if (several.size() > MOST || several.stream().distinct().count() < several.size()) {
            throw settings.fault("namespaces", "must be at most " + MOST + ", each once");
        }
        several.forEach(name -> check(settings, "namespaces", name));
        one.ifPresent(name -> check(settings, "namespace", name));
        return several.isEmpty() ? new Namespaces(List.of(one.orElse(backend)), false) : new Namespaces(several, true);
    }

    private static void check(BackendSettings settings, String member, String name) {
        if (!NAME.matcher(name).matches()) {
            throw settings.fault(member, "has '" + name + "', which is neither a backend's name nor capabilities[.…]");
        }
    }

    /** Those that are backends there. */
    List<String> backends() {
        return all.stream().filter(name -> !isOfCapabilities(name)).toList();
    }

    /** What the names of capabilities that are taken over begin with; empty texts for all of them. */
    List<String> capabilities() {
        List<String> prefixes = new ArrayList<>();
        all.stream()
                .filter(Namespaces::isOfCapabilities)
                .forEach(name -> prefixes.add(
                        name.length() < CAPABILITIES.length() ? "" : name.substring(CAPABILITIES.length()) + "."));
        return prefixes;
    }

    private static boolean isOfCapabilities(String name) {
        return (name + ".").startsWith(CAPABILITIES);
    }

    /** Names here by names there, of those that are within these. */
    Map<String, String> names(Collection<String> there) {
        Map<String, String> shorter = new LinkedHashMap<>();
        there.forEach(name -> all.stream()
                .filter(space -> name.startsWith(space + "."))
                .findFirst()
                .ifPresent(space -> shorter.put(name, prefixed ? name : name.substring(space.length() + 1))));
        Map<String, String> possible = BackendNames.ofTools(shorter.values());
        shorter.replaceAll((name, wanted) -> possible.get(wanted));
        return shorter;
    }
}
