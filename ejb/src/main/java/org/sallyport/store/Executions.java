package org.sallyport.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Admission;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Limits;
import org.sallyport.execution.Pause;
import org.sallyport.execution.Progress;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.Submitted;
import org.sallyport.tracecontext.TraceContext;

/** Makes the records of {@code org.sallyport.execution} of rows. */
final class Executions {
    private Executions() {}

    static ExecutionSummary summary(ExecutionRow row) {
        return new ExecutionSummary(
                new ExecutionId(row.id),
                row.tenant,
                row.state,
                row.language,
                row.tier == null ? ScriptTier.SANDBOX : row.tier,
                row.codePreview,
                row.priority,
                row.attempt,
                JsonColumns.map(row.labels),
                Optional.ofNullable(row.errorCode),
                row.createdAt,
                Optional.ofNullable(row.startedAt),
                Optional.ofNullable(row.finishedAt),
                Optional.ofNullable(row.rerunOf).flatMap(ExecutionId::parse),
                Optional.ofNullable(row.batch).flatMap(BatchId::parse),
                Optional.ofNullable(row.capability).flatMap(CapabilityRef::parse),
                Optional.ofNullable(row.parent).flatMap(ExecutionId::parse));
    }

    static Submitted submitted(ExecutionRow row, InputRow input) {
        return new Submitted(
                summary(row),
                input.code,
                input.args,
                input.context,
                limits(row, input),
                JsonColumns.list(input.grants),
                Optional.ofNullable(input.intent),
                Durability.of(row.durability),
                row.submitter,
                EffectsColumn.effects(input.effects),
                sharesReads(input),
                Optional.ofNullable(row.concurrencyKey));
    }

    private static boolean sharesReads(InputRow input) {
        return Boolean.TRUE.equals(input.shareReads);
    }

    static String seed(InputRow input) {
        return input.seed == null ? input.executionId.toString() : input.seed;
    }

    /** {@code input} may come without its code. */
    static Execution execution(ExecutionRow row, InputRow input, @Nullable OutcomeRow outcome) {
        return new Execution(
                summary(row),
                input.args,
                limits(row, input),
                JsonColumns.list(input.grants),
                Optional.ofNullable(input.intent),
                Durability.of(row.durability),
                row.cancelRequested,
                Optional.ofNullable(outcome).map(o -> o.result),
                Optional.ofNullable(outcome).flatMap(o -> o.error(row.errorCode)),
                row.outLength,
                row.errLength,
                row.truncated,
                progress(row),
                pause(row),
                EffectsColumn.effects(input.effects),
                Optional.ofNullable(input.callback),
                trace(input),
                Optional.ofNullable(input.script),
                Optional.ofNullable(input.cachedFrom).flatMap(ExecutionId::parse),
                Optional.ofNullable(row.cost).map(Cost::new),
                new Admission(
                        Optional.ofNullable(row.notBefore),
                        Optional.empty(),
                        Optional.ofNullable(row.endsBy),
                        Optional.ofNullable(row.concurrencyKey)));
    }

    private static Optional<Pause> pause(ExecutionRow row) {
        return row.waitingFor == null || row.waitingSince == null || row.nextCheckAt == null
                ? Optional.empty()
                : Optional.of(new Pause(row.waitingFor, row.waitingSince, row.nextCheckAt));
    }

    private static Optional<Progress> progress(ExecutionRow row) {
        return row.progressPermille == null
                ? Optional.empty()
                : Optional.of(new Progress(row.progressPermille, row.progressText == null ? "" : row.progressText));
    }

    static Claim claim(ExecutionRow row, InputRow input, Instant now) {
        Instant deadline = row.deadlineAt == null ? now : row.deadlineAt;
        return new Claim(
                new Fence(new ExecutionId(row.id), row.attempt),
                row.tenant,
                row.submitter,
                input.code,
                row.language,
                input.args,
                input.context,
                limits(row, input),
                JsonColumns.list(input.grants),
                input.debug == null ? DebugMode.NONE : input.debug,
                Durability.of(row.durability),
                seed(input),
                Math.max(0, Duration.between(now, deadline).toMillis()),
                now,
                row.createdAt,
                row.lastSeq,
                row.outLength,
                row.errLength,
                rerun(row),
                EffectsColumn.effects(input.effects),
                Optional.ofNullable(input.outputSchema),
                trace(input),
                Optional.ofNullable(input.keepAs),
                sharesReads(input) ? Optional.ofNullable(row.batch).flatMap(BatchId::parse) : Optional.empty(),
                Optional.ofNullable(row.capability).flatMap(CapabilityRef::parse),
                Optional.ofNullable(row.parent).flatMap(ExecutionId::parse),
                row.endsBy != null && !deadline.isBefore(row.endsBy),
                Optional.ofNullable(row.concurrencyKey));
    }

    private static Optional<TraceContext> trace(InputRow input) {
        return Optional.ofNullable(input.trace).flatMap(TraceContext::ofStored);
    }

    private static Optional<Rerun> rerun(ExecutionRow row) {
        Rerun.Mode mode = row.rerunMode;
        return row.rerunOf == null || mode == null
                ? Optional.empty()
                : ExecutionId.parse(row.rerunOf)
                        .map(of -> new Rerun(
                                of,
                                mode,
                                row.rerunFrom == null ? 1 : row.rerunFrom,
                                Boolean.TRUE.equals(row.rerunEdited)));
    }

    private static Limits limits(ExecutionRow row, InputRow input) {
        return new Limits(
                row.wallMillis,
                input.cpuMillis,
                input.heapBytes,
                input.toolCalls,
                input.outputChars,
                Optional.ofNullable(input.costLimit).map(Cost::new),
                FurtherLimitsColumn.limits(input.furtherLimits));
    }
}
