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
 */
public record CatalogBackend(String name, String kind, String queue, List<String> fallbacks) {
    public CatalogBackend {
        fallbacks = List.copyOf(fallbacks);
    }

    /** Creates a backend without fallbacks. */
    public CatalogBackend(String name, String kind, String queue) {
        this(name, kind, queue, List.of());
    }
}
