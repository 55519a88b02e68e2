package org.sallyport.policy;

import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.tool.Json;

/**
 * Stores policies. All methods throw {@link org.sallyport.execution.StoreUnavailableException} when the store does not
 * answer. Thread-safe.
 */
public interface PolicyStore {

    /** Returns the version in force. Empty for a tenant without a policy of its own. */
    Optional<PolicyVersion> findNewest(String tenant);

    /** Returns one version. The versions of a tenant have the numbers from 1. */
    Optional<PolicyVersion> find(String tenant, long version);

    /**
     * Stores a document as the next version.
     *
     * @param expected the version in force, 0 for none
     * @return the new version; empty when another version is in force
     */
    OptionalLong add(String tenant, long expected, Json document, String comment, String author);
}
