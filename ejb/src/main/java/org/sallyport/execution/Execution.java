package org.sallyport.execution;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/**
 * Snapshot of an execution.
 *
 * @param summary the summary that lists show
 * @param args the arguments
 * @param limits its limits
 * @param grants globs of the tools it may call
 * @param intent the reason for the run
 * @param durability whether it outlives the node that runs it
 * @param cancelRequested whether a client requested its cancellation
 * @param result the result of the script, when completed
 * @param error the error, when it failed
 * @param outputLength characters written to stdout so far
 * @param errorOutputLength characters written to stderr so far
 * @param truncated whether a part of the output was omitted because a stream was longer than its limit
 * @param progress the progress that the script reported
 * @param suspension why it is {@link ExecutionState#WAITING}, when it is
 * @param effects whether effects are real, listed or restricted to a plan
 * @param callback the URL to notify when it has ended
 * @param trace the trace context in which it runs, if any
 * @param savedScriptName the name of the saved script that it runs, if any
 * @param cachedFrom the execution whose cached result it received instead of running, if any
 * @param cost cost of its calls so far, including those of its nested executions; empty when none cost anything
 * @param admission when it may start
 * @param cancellation who requested its cancellation, and why, if anyone did
 * @param retry how it relates to the other attempts, if it has a retry policy
 * @param blockedAttempts the attempts of its script that were refused, as of the last write of a run
 */
public record Execution(
        ExecutionSummary summary,
        Json args,
        ExecutionLimits limits,
        List<String> grants,
        Optional<String> intent,
        Durability durability,
        boolean cancelRequested,
        Optional<Json> result,
        Optional<ExecutionError> error,
        long outputLength,
        long errorOutputLength,
        boolean truncated,
        Optional<ExecutionProgress> progress,
        Optional<Suspension> suspension,
        EffectMode effects,
        Optional<String> callback,
        Optional<TraceContext> trace,
        Optional<String> savedScriptName,
        Optional<ExecutionId> cachedFrom,
        Optional<Cost> cost,
        AdmissionConstraints admission,
        Optional<StoredCancelRequest> cancellation,
        Optional<RetryPolicy.RetryStatus> retry,
        BlockedAttempts blockedAttempts) {
    public Execution {
        grants = List.copyOf(grants);
    }

    /** Creates an execution without the components from {@code callback} on. */
    public Execution(
            ExecutionSummary summary,
            Json args,
            ExecutionLimits limits,
            List<String> grants,
            Optional<String> intent,
            Durability durability,
            boolean cancelRequested,
            Optional<Json> result,
            Optional<ExecutionError> error,
            long outputLength,
            long errorOutputLength,
            boolean truncated,
            Optional<ExecutionProgress> progress,
            Optional<Suspension> suspension,
            EffectMode effects) {
        this(
                summary,
                args,
                limits,
                grants,
                intent,
                durability,
                cancelRequested,
                result,
                error,
                outputLength,
                errorOutputLength,
                truncated,
                progress,
                suspension,
                effects,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                AdmissionConstraints.NONE,
                Optional.empty(),
                Optional.empty(),
                BlockedAttempts.NONE);
    }

    public ExecutionId id() {
        return summary.id();
    }

    public ExecutionState state() {
        return summary.state();
    }

    /** Returns the execution of the attempt that follows this one, which has failed; empty when none does. */
    public Optional<ExecutionId> nextAttempt() {
        return retry.flatMap(RetryPolicy.RetryStatus::next);
    }
}
