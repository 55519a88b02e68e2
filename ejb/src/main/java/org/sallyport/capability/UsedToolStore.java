package org.sallyport.capability;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.sallyport.execution.CapabilityRef;

/**
 * Stores the tools that the executions of each version of a capability use. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface UsedToolStore {
    /** Stores nothing. */
    UsedToolStore NO_OP = new UsedToolStore() {
        @Override
        public void recordUses(String tenant, Collection<ToolUse> uses) {}

        @Override
        public List<UsedTool> listUsedTools(String tenant, CapabilityRef version) {
            return List.of();
        }
    };

    /** After this time, a use of a known tool with the same hash is stored again, for the time of its last use. */
    Duration REFRESH_AFTER = Duration.ofHours(1);

    /** How much the clocks of nodes may differ. A use that is earlier than the stored one by more is ignored. */
    Duration MAX_CLOCK_SKEW = Duration.ofMinutes(1);

    /** Maximum number of tools of one version. Further ones are not stored. */
    int MAX_TOOLS = 200;

    /**
     * Records uses in one transaction. Recording a use again changes nothing; nor does a use with the stored hash
     * before {@link #REFRESH_AFTER}, or one that is earlier than the stored one by more than {@link #MAX_CLOCK_SKEW}.
     */
    void recordUses(String tenant, Collection<ToolUse> uses);

    /** Returns the tools that a version has used, by name. */
    List<UsedTool> listUsedTools(String tenant, CapabilityRef version);
}
