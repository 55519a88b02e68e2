package org.sallyport.capability;

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

    /** Maximum number of tools of one version. Further ones are not stored. */
    int MAX_TOOLS = 200;

    /** Records uses in one transaction. Recording a use again changes nothing; an earlier use replaces no later one. */
    void recordUses(String tenant, Collection<ToolUse> uses);

    /** Returns the tools that a version has used, by name. */
    List<UsedTool> listUsedTools(String tenant, CapabilityRef version);
}
