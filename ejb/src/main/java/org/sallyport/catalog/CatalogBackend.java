package org.sallyport.catalog;

import java.util.List;

/**
 * A named set of tools.
 *
 * @param name its name
 * @param kind the kind of connector that speaks to it
 * @param queue the queue its connector takes calls from
 * @param fallbacks backends whose tools of the same names may be called in its place while it cannot be reached, in this order
 */
public record CatalogBackend(String name, String kind, String queue, List<String> fallbacks) {
    public CatalogBackend {
        fallbacks = List.copyOf(fallbacks);
    }

    /** One in whose place nobody is asked. */
    public CatalogBackend(String name, String kind, String queue) {
        this(name, kind, queue, List.of());
    }
}
