package org.sallyport.execution;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * An execution with everything that was submitted, sufficient to submit it again.
 *
 * @param summary the summary that lists show
 * @param code the script
 * @param args the arguments
 * @param context the additional context
 * @param limits its limits
 * @param grants globs of the tools it may call
 * @param intent the reason for the run
 * @param durability whether it outlives the node that runs it
 * @param effects whether effects are real, listed or restricted to a plan
 * @param sharesReads whether it shares the results of read-only calls with its batch
 * @param concurrencyKey the concurrency key that limits concurrent executions, if any
 * @param variables the variables that its script sees, if any
 * @param retry when another attempt follows a failure, if ever
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
        EffectMode effects,
        boolean sharesReads,
        Optional<String> concurrencyKey,
        Optional<PinnedVariables> variables,
        Optional<RetryPolicy> retry) {
    public StoredSubmission {
        grants = List.copyOf(grants);
    }

    /** Returns the id of the caller who submitted it. */
    public String submitter() {
        return summary.submitter();
    }
}
