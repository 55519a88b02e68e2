package org.sallyport.execution;

import java.util.List;
import org.sallyport.tool.CallId;

/**
 * Where a nested execution stands below the one that began it all.
 *
 * @param parentCall the call that it answers
 * @param root the execution that nobody nested
 * @param capabilityPath names of the capabilities that run above it, from the root's on; none of scripts that are no capability
 * @param depth how many executions are above it
 */
public record ParentExecution(CallId parentCall, ExecutionId root, List<String> capabilityPath, int depth) {
    public ParentExecution {
        capabilityPath = List.copyOf(capabilityPath);
    }
}
