package org.sallyport.access;

import java.time.Instant;
import java.util.Map;

/** Where it is kept when keys were used. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when it does not answer. */
public interface KeyUseStore {

    /** Notes uses by the ids of keys; none goes back, and what is no key is left out. */
    void recordUses(Map<String, Instant> uses);

    /** When the tenant's keys were last used, by their ids; without those that never were. */
    Map<String, Instant> lastUsedByKey(String tenant);
}
