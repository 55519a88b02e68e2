package org.sallyport.capability;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.ExecutionId;

/**
 * Stores capabilities. A published version is immutable, except that it can be deprecated. Every method is one
 * transaction, committed when it returns. Throws {@link org.sallyport.execution.StoreUnavailableException} when the
 * store does not answer. Thread-safe.
 */
public interface CapabilityStore {

    /** Publishes a version. Returns false when this name and version exist already, even with the same content. */
    boolean publish(NewCapability capability);

    /** Returns the version; empty when the tenant has no such version. */
    Optional<Capability> find(String tenant, String name, SemanticVersion version);

    /** Returns the newest versions of a name, newest first, up to the store's own bound; empty when there are none. */
    List<CapabilityVersionSummary> listVersions(String tenant, String name);

    /** Returns those of {@code names} that have a release which is not deprecated. */
    Set<String> findStableNames(String tenant, Collection<String> names);

    /**
     * Returns names in alphabetical order, each once.
     *
     * @param search part of the name or the description of a version, ignoring case; empty for all
     * @param after only names after this one; empty for all
     * @param limit maximum number of names
     */
    List<String> searchNames(String tenant, String search, String after, int limit);

    /**
     * Returns the newest completed executions of a version that are no dry runs, newest first, at most {@code limit}.
     * Does not search executions of the distant past.
     */
    List<ExecutionId> findCompletedRuns(String tenant, String name, SemanticVersion version, int limit);

    /** Deprecates a version. Returns false when there is none. A deprecated version keeps its first reason. */
    boolean deprecate(String tenant, String name, SemanticVersion version, String reason);
}
