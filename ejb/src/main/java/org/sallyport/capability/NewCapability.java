package org.sallyport.capability;

import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;

/**
 * A version about to be published.
 *
 * @param tenant the owning tenant
 * @param name its name
 * @param version its version
 * @param definition its content
 * @param contract current schema hashes of the tools that it names, by tool name
 * @param publisher id of the API key that publishes it
 * @param testRun the execution that ran its tests, if it has any
 */
public record NewCapability(
        String tenant,
        String name,
        SemanticVersion version,
        CapabilityDefinition definition,
        Map<String, String> contract,
        String publisher,
        Optional<ExecutionId> testRun) {
    public NewCapability {
        contract = Map.copyOf(contract);
    }
}
