package org.sallyport.catalog;

import java.util.List;

/**
 * A named set of tools.
 *
 * @param name its name
 * @param kind the kind of its connector
 * @param queue the queue from which its connector takes calls
 * @param fallbacks backends whose tools of the same names may be called in its place while it is unreachable, in this
 *     order
 * @param identifier its identifier in scripts, unique among all backends
 */
public record CatalogBackend(String name, String kind, String queue, List<String> fallbacks, String identifier) {
    public CatalogBackend {
        fallbacks = List.copyOf(fallbacks);
    }

    /** Creates a backend whose identifier derives from its own name only. */
    public CatalogBackend(String name, String kind, String queue, List<String> fallbacks) {
        this(name, kind, queue, fallbacks, BackendNameRules.toIdentifier(name));
    }

    /** Creates a backend without fallbacks whose identifier derives from its own name only. */
    public CatalogBackend(String name, String kind, String queue) {
        this(name, kind, queue, List.of());
    }
}
