package org.sallyport.submission;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.capability.Capability;
import org.sallyport.execution.CapabilityRef;

/** Makes submissions of batch items, also of items that only name a saved script or a capability. Not thread-safe. */
final class BatchItemResolver {
    private final BatchScriptLookup scripts;
    private final CapabilityRunService runs;
    private final BatchCapabilityLookup capabilities;
    private final String tenant;
    /** All items see the same values, even if a variable changes while the batch is accepted. */
    private final Map<CapabilityRef, CapabilityPreparation> prepared = new HashMap<>();

    BatchItemResolver(SavedScriptRunService scripts, CapabilityRunService runs, Caller caller) {
        this.scripts = new BatchScriptLookup(scripts, caller);
        this.runs = runs;
        this.tenant = caller.tenant();
        this.capabilities = new BatchCapabilityLookup((name, version) -> runs.find(caller.tenant(), name, version));
    }

    /**
     * Applies {@code then} to the submission made of the item, or {@code refused} to the reason why there is none.
     * Throws {@link IllegalStateException} for an unreadable item.
     */
    <T> T resolve(
            BatchRequest.BatchRequestItem item, Function<SubmissionResult, T> refused, Function<Submission, T> then) {
        if (item instanceof BatchRequest.BatchRequestItem.SubmissionItem wanted) {
            return then.apply(wanted.submission());
        } else if (item instanceof BatchRequest.BatchRequestItem.SavedScriptItem kept) {
            return scripts.resolve(kept.call(), refused, then);
        } else if (item instanceof BatchRequest.BatchRequestItem.CapabilityItem published) {
            return runs.resolve(published.call(), capabilities.find(published.call()), this::prepare, refused, then);
        }
        throw new IllegalStateException("an item that cannot be read cannot be resolved");
    }

    private CapabilityPreparation prepare(Capability capability) {
        return prepared.computeIfAbsent(capability.ref(), any -> runs.prepare(tenant, capability));
    }
}
