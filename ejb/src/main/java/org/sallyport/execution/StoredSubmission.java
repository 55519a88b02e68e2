package org.sallyport.execution;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * An execution with all that was submitted: enough to submit it again.
 *
 * @param summary what a list shows
 * @param code its script
 * @param args its input
 * @param context its extra context
 * @param limits what it may use
 * @param grants globs of the tools it may call
 * @param intent why it runs
 * @param durability whether it outlives the node that runs it
 * @param submitter id of the key that submitted it
 * @param effects what becomes of its effects
 * @param sharesReads whether it shares what it reads with its batch
 * @param concurrencyKey what it may not run beside its like for
 */
public record StoredSubmission(
        ExecutionSummary summary,
        String code,
        Json args,
        Json context,
        ExecutionLimits limits,
        List<String> grants,
        Optional<String> intent,
        Durability durability,
        String submitter,
        EffectMode effects,
        boolean sharesReads,
        Optional<String> concurrencyKey) {
    public StoredSubmission {
        grants = List.copyOf(grants);
    }
}
