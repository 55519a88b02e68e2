package org.sallyport.execution;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/**
 * An execution as it was when it was read.
 *
 * @param summary what a list shows
 * @param args its input
 * @param limits what it may use
 * @param grants globs of the tools it may call
 * @param intent why it runs
 * @param durability whether it outlives the node that runs it
 * @param cancelRequested whether a caller asked to cancel it
 * @param result what the script returned, when completed
 * @param error what went wrong, when it did
 * @param outputLength characters written to stdout so far
 * @param errorOutputLength characters written to stderr so far
 * @param truncated whether output was dropped because a stream reached its limit
 * @param progress how far the script says it is
 * @param suspension why it is {@link ExecutionState#WAITING}, when it is
 * @param effects what becomes of its effects
 * @param callback where somebody is told that it has ended
 * @param trace in which trace it runs, if it is in one
 * @param savedScriptName the name of the kept script that it runs, if it runs one
 * @param cachedFrom the execution whose answer it was given in place of a run, if it was
 * @param cost what its calls cost so far, those of executions that they began too; empty when none cost anything
 * @param admission when it may begin
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
        AdmissionConstraints admission) {
    public Execution {
        grants = List.copyOf(grants);
    }

    /** One whose end nobody is told, outside of any trace. */
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
                AdmissionConstraints.NONE);
    }

    public ExecutionId id() {
        return summary.id();
    }

    public ExecutionState state() {
        return summary.state();
    }
}
