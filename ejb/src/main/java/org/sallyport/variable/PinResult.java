package org.sallyport.variable;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.PinnedVariables;

/** Outcome of pinning the variables that a capability declares. */
public sealed interface PinResult {
    /** All declared variables have values; empty when none are declared. */
    record VariablesPinned(Optional<PinnedVariables> variables) implements PinResult {}

    /** Some declared variables have no value. */
    record VariablesUnset(List<UnsetVariable> unset) implements PinResult {
        public VariablesUnset {
            unset = List.copyOf(unset);
        }

        /**
         * Returns whether the same request can succeed on another node, or here after a restart: each of the variables
         * has a value that this node lacks the key to decrypt.
         */
        public boolean isTransient() {
            return unset.stream().allMatch(UnsetVariable::keyMissing);
        }
    }

    /** The names and the values together have more than {@code maxChars} characters. */
    record VariablesOversized(int maxChars) implements PinResult {}
}
