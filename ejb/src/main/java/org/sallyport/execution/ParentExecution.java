package org.sallyport.execution;

import java.util.List;
import org.sallyport.tool.CallId;

/**
 * Position of a nested execution below its root.
 *
 * @param parentCall the call that it answers
 * @param root the outermost execution, which is not nested
 * @param capabilityPath names of the capabilities above it, starting at the root; without scripts that are no
 *     capability
 * @param depth how many executions are above it
 */
public record ParentExecution(CallId parentCall, ExecutionId root, List<String> capabilityPath, int depth) {
    public ParentExecution {
        capabilityPath = List.copyOf(capabilityPath);
    }
}
