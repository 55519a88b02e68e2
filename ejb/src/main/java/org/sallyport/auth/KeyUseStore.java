package org.sallyport.auth;

import java.time.Instant;
import java.util.Map;

/**
 * Stores when keys were last used. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when
 * the store does not answer.
 */
public interface KeyUseStore {

    /** Records the times of last use, by key id. A stored time never moves back. Ids of unknown keys are ignored. */
    void recordUses(Map<String, Instant> uses);

    /** Returns when the tenant's keys were last used, by key id. Keys that were never used are missing. */
    Map<String, Instant> lastUsedByKey(String tenant);
}
