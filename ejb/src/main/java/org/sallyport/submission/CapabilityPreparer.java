package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import org.sallyport.capability.Capability;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;

/** Checks whether a capability can run now, and fixes the values of its variables. Thread-safe. */
public final class CapabilityPreparer {
    private final CapabilitySandboxPolicy sandboxes;
    private final RequiredToolCheck requiredTools;
    private final VariablePinner variables;

    public CapabilityPreparer(
            CapabilitySandboxPolicy sandboxes, RequiredToolCheck requiredTools, VariablePinner variables) {
        this.sandboxes = sandboxes;
        this.requiredTools = requiredTools;
        this.variables = variables;
    }

    /**
     * Checks that the sandbox of the capability is allowed and that the tools that it names exist, and returns the
     * present values of the variables that it declares. Waits for the store.
     */
    CapabilityPreparation prepare(String tenant, Capability capability) {
        String name = capability.ref().toString();
        Optional<String> sandboxRefusal =
                sandboxes.refusalReason(tenant, capability.definition().sandbox());
        if (sandboxRefusal.isPresent()) {
            return new CapabilityPreparation.CapabilityUnprepared(
                    new SubmissionResult.SandboxNotAllowed(name, sandboxRefusal.get()));
        }
        List<MissingTool> missing =
                requiredTools.findMissing(tenant, capability.definition().tools());
        if (!missing.isEmpty()) {
            return new CapabilityPreparation.CapabilityUnprepared(new SubmissionResult.ToolsMissing(name, missing));
        }
        PinResult pinned = variables.pin(tenant, capability.definition().env());
        if (pinned instanceof PinResult.VariablesUnset unset) {
            return new CapabilityPreparation.CapabilityUnprepared(
                    new SubmissionResult.VariablesNotSet(name, unset.unset()));
        } else if (pinned instanceof PinResult.VariablesOversized large) {
            return new CapabilityPreparation.CapabilityUnprepared(
                    new SubmissionResult.VariablesTooLarge(name, large.maxChars()));
        }
        return new CapabilityPreparation.CapabilityPrepared(((PinResult.VariablesPinned) pinned).variables());
    }
}
