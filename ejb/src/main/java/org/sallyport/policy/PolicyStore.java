package org.sallyport.policy;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.tool.Json;

/**
 * Where rules live. All methods throw {@link org.sallyport.execution.StoreUnavailableException} when the store does not
 * answer. Thread-safe.
 */
public interface PolicyStore {

    /** The version in force; empty for a tenant that has none of its own. */
    Optional<PolicyVersion> findNewest(String tenant);

    /** One version. */
    Optional<PolicyVersion> find(String tenant, long version);

    /** Newest first. */
    List<PolicyVersion> list(String tenant, int limit);

    /**
     * Stores rules as the next version.
     *
     * @param expected the version that is in force, 0 for none
     * @return the new version; empty when another one is in force
     */
    OptionalLong add(String tenant, long expected, Json document, String comment, String author);
}
