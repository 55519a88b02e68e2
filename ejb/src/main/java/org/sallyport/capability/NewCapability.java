package org.sallyport.capability;

import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;

/**
 * A version about to be published.
 *
 * @param tenant whose it is
 * @param name its name
 * @param version its version
 * @param definition what it is
 * @param contract hashes of the schemas that the tools it names have now, by their names
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
