package org.sallyport.auth;

import java.util.List;
import java.util.Optional;

/**
 * Stores API keys. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when the store does
 * not answer.
 */
public interface ApiKeyStore {

    /** Returns the key with that id, expired or not. */
    Optional<ApiKey> find(String id);

    /** Adds a key or replaces the one with the same id. */
    void put(ApiKey key);

    /**
     * Replaces the grants of a key. Returns whether this tenant had the key. Does not restore a key that was removed.
     */
    boolean replaceGrants(String tenant, String id, List<String> grants);

    /** Removes a key. Returns whether this tenant had it. */
    boolean remove(String tenant, String id);

    /** Returns the tenant's keys, ordered by id. */
    List<ApiKey> list(String tenant);
}
