package org.sallyport.capability;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;

/**
 * Where capabilities live. What is published is never changed, besides that it is deprecated. Every method is one transaction,
 * committed when it returns. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 * Thread-safe.
 */
public interface CapabilityStore {

    /** Publishes a version; false when there is one of this name and version already, whatever it is. */
    boolean publish(NewCapability capability);

    /** The version, if it is this tenant's. */
    Optional<Capability> find(String tenant, String name, SemanticVersion version);

    /** The newest versions of a name, as many as a store may be asked for at once; newest first, none when there are none. */
    List<CapabilityVersionSummary> listVersions(String tenant, String name);

    /**
     * Names in alphabetical order, each once.
     *
     * @param search part of the name or the description of a version, in any case; empty for all
     * @param after only names that come after this one; empty for all
     * @param limit at most so many
     */
    List<String> searchNames(String tenant, String search, String after, int limit);

    /** The newest executions of a version that completed and were no dry runs, newest first, at most {@code limit}; long past ones are not looked for. */
    List<ExecutionId> findCompletedRuns(String tenant, String name, SemanticVersion version, int limit);

    /** Marks a version as not to be used any more; false when there is none. One that is marked stays as it was. */
    boolean deprecate(String tenant, String name, SemanticVersion version, String reason);
}
