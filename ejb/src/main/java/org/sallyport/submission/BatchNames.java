package org.sallyport.submission;

import java.util.function.Function;
import org.sallyport.access.Caller;

/** What the items of one batch name rather than bring. Not thread-safe. */
final class BatchNames {
    private final BatchScripts scripts;
    private final CapabilityRuns runs;
    private final BatchCapabilities capabilities;

    BatchNames(ScriptRuns scripts, CapabilityRuns runs, Caller caller) {
        this.scripts = new BatchScripts(scripts, caller);
        this.runs = runs;
        this.capabilities = new BatchCapabilities((name, version) -> runs.find(caller.tenant(), name, version));
    }

    /** Goes on with the submission that is made of an item, or with why none can be. */
    <T> T made(BatchRequest.Item item, Function<Receipt, T> refused, Function<Submission, T> then) {
        if (item instanceof BatchRequest.Item.Wanted wanted) {
            return then.apply(wanted.submission());
        } else if (item instanceof BatchRequest.Item.Kept kept) {
            return scripts.made(kept.call(), refused, then);
        } else if (item instanceof BatchRequest.Item.Published published) {
            return runs.made(published.call(), capabilities.find(published.call()), refused, then);
        }
        throw new IllegalStateException("nothing is made of an item that cannot be read");
    }
}
