package org.sallyport.variable;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.tool.Json;

/**
 * Fixes the values of variables for one execution, so that each of its attempts and each re-run sees the same values.
 * Thread-safe.
 */
public interface VariablePinner {
    /** Has no variables. */
    VariablePinner NONE = new VariablePinner() {
        @Override
        public PinResult pin(String tenant, List<String> names) {
            return new PinResult.VariablesUnset(names.stream()
                    .map(name -> new UnsetVariable(name, Optional.empty()))
                    .toList());
        }

        @Override
        public Json read(String tenant, PinnedVariables variables) {
            throw new VariablesUnreadableException("there are no variables");
        }
    };

    /** Returns the present values of the named variables of the tenant. Waits for the store. */
    PinResult pin(String tenant, List<String> names);

    /**
     * Returns pinned values as a JSON object of texts. From then on, this node redacts the values that came from
     * secrets for the tenant. Throws {@link VariablesUnreadableException} when this node cannot decrypt them.
     */
    Json read(String tenant, PinnedVariables variables);
}
