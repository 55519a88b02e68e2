package org.sallyport.callback;

import java.util.Optional;
import org.sallyport.connector.http.Posts;

/** Says whether somebody may be told at an address. Thread-safe. */
public final class Callbacks {
    private final Posts posts;
    private final Signatures signatures;

    public Callbacks(Posts posts, Signatures signatures) {
        this.posts = posts;
        this.signatures = signatures;
    }

    /** Why an execution of the tenant's may not end with a callback to {@code url}; empty when it may. */
    public Optional<String> fault(String tenant, String url) {
        return posts.fault(url)
                .or(
                        () -> signatures.has(tenant)
                                ? Optional.empty()
                                : Optional.of(
                                        "cannot be signed: the tenant has no signing secret; an administrator makes one with POST /api/v1/callbacks/secret"));
    }
}
