package org.sallyport.access;

import java.util.List;
import java.util.Optional;

/** Where keys live. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when it does not answer. */
public interface ApiKeyStore {

    /** The key with that id, expired or not. */
    Optional<ApiKey> find(String id);

    /** Adds a key; replaces the one with the same id. */
    void put(ApiKey key);

    /** Has a key grant these tools, and no others; whether there was one of this tenant. Brings no key back that was removed. */
    boolean replaceGrants(String tenant, String id, List<String> grants);

    /** Forgets a key; whether there was one of this tenant. */
    boolean remove(String tenant, String id);

    /** The tenant's keys, by id. */
    List<ApiKey> list(String tenant);
}
