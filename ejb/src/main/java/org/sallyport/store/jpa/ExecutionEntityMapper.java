package org.sallyport.store.jpa;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.StoredCancelRequest;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.execution.Suspension;
import org.sallyport.tracecontext.TraceContext;

/** Maps entities to the records of {@code org.sallyport.execution}. Stateless. */
final class ExecutionEntityMapper {
    private ExecutionEntityMapper() {}

    static ExecutionSummary toSummary(ExecutionEntity row) {
        return new ExecutionSummary(
                new ExecutionId(row.id),
                row.tenant,
                row.submitter,
                row.state,
                row.language,
                row.tier == null ? ScriptTier.SANDBOX : row.tier,
                row.codePreview,
                row.priority,
                row.attempt,
                JsonColumnCodec.parseMap(row.labels),
                Optional.ofNullable(row.errorCode),
                row.createdAt,
                Optional.ofNullable(row.startedAt),
                Optional.ofNullable(row.finishedAt),
                Optional.ofNullable(row.rerunOf).flatMap(ExecutionId::parse),
                Optional.ofNullable(row.batch).flatMap(BatchId::parse),
                Optional.ofNullable(row.capability).flatMap(CapabilityRef::parse),
                Optional.ofNullable(row.parent).flatMap(ExecutionId::parse),
                Optional.ofNullable(row.savedScript),
                Optional.ofNullable(row.schedule).map(UUID::fromString));
    }

    static StoredSubmission toStoredSubmission(ExecutionEntity row, ExecutionInputEntity input) {
        return new StoredSubmission(
                toSummary(row),
                input.code,
                input.args,
                input.context,
                limits(row, input),
                JsonColumnCodec.parseList(input.grants),
                Optional.ofNullable(input.intent),
                Durability.of(row.durability),
                EffectModeColumn.toEffectMode(input.effects),
                sharesReads(input),
                Optional.ofNullable(row.concurrencyKey),
                variables(input),
                retryPolicy(row));
    }

    private static boolean sharesReads(ExecutionInputEntity input) {
        return Boolean.TRUE.equals(input.shareReads);
    }

    static String seed(ExecutionInputEntity input) {
        return input.seed == null ? input.executionId.toString() : input.seed;
    }

    /** @param input the input, with or without its code */
    static Execution toExecution(
            ExecutionEntity row, ExecutionInputEntity input, @Nullable ExecutionOutcomeEntity outcome) {
        return new Execution(
                toSummary(row),
                input.args,
                limits(row, input),
                JsonColumnCodec.parseList(input.grants),
                Optional.ofNullable(input.intent),
                Durability.of(row.durability),
                row.cancelRequested,
                Optional.ofNullable(outcome).map(o -> o.result),
                Optional.ofNullable(outcome).flatMap(o -> o.toError(row.errorCode)),
                row.outLength,
                row.errLength,
                row.truncated,
                progress(row),
                toSuspension(row),
                EffectModeColumn.toEffectMode(input.effects),
                Optional.ofNullable(input.callback),
                trace(input),
                Optional.ofNullable(input.script),
                Optional.ofNullable(input.cachedFrom).flatMap(ExecutionId::parse),
                Optional.ofNullable(row.cost).map(Cost::new),
                new AdmissionConstraints(
                        Optional.ofNullable(row.notBefore),
                        Optional.empty(),
                        Optional.ofNullable(row.endsBy),
                        Optional.ofNullable(row.concurrencyKey),
                        retryPolicy(row)),
                Optional.ofNullable(row.cancelledAt)
                        .map(at -> new StoredCancelRequest(
                                new CancelRequest(
                                        Optional.ofNullable(row.cancelledBy), Optional.ofNullable(row.cancelReason)),
                                at)),
                retryStatus(row),
                BlockedAttemptsColumn.toAttempts(row.blockedAttempts));
    }

    private static Optional<RetryPolicy> retryPolicy(ExecutionEntity row) {
        return Optional.ofNullable(row.retry).map(RetryPolicy::ofStored);
    }

    private static Optional<RetryPolicy.RetryStatus> retryStatus(ExecutionEntity row) {
        return Optional.ofNullable(row.retryAttempt)
                .map(attempt -> new RetryPolicy.RetryStatus(
                        attempt,
                        Optional.ofNullable(row.retryFirst).flatMap(ExecutionId::parse),
                        Optional.ofNullable(row.retryOf).flatMap(ExecutionId::parse),
                        Optional.ofNullable(row.retriedBy).flatMap(ExecutionId::parse),
                        Optional.ofNullable(row.notRetried).map(RetryPolicy.RetryStop::valueOf)));
    }

    private static Optional<Suspension> toSuspension(ExecutionEntity row) {
        return row.waitingFor == null || row.waitingSince == null || row.nextCheckAt == null
                ? Optional.empty()
                : Optional.of(new Suspension(row.waitingFor, row.waitingSince, row.nextCheckAt));
    }

    private static Optional<ExecutionProgress> progress(ExecutionEntity row) {
        return row.progressPermille == null
                ? Optional.empty()
                : Optional.of(
                        new ExecutionProgress(row.progressPermille, row.progressText == null ? "" : row.progressText));
    }

    static ClaimedExecution toClaimedExecution(ExecutionEntity row, ExecutionInputEntity input, Instant now) {
        Instant deadline = row.deadlineAt == null ? now : row.deadlineAt;
        return new ClaimedExecution(
                new FencingToken(new ExecutionId(row.id), row.attempt),
                row.tenant,
                row.submitter,
                input.code,
                row.language,
                input.args,
                input.context,
                limits(row, input),
                JsonColumnCodec.parseList(input.grants),
                input.debug == null ? DebugMode.NONE : input.debug,
                Durability.of(row.durability),
                seed(input),
                Math.max(0, Duration.between(now, deadline).toMillis()),
                now,
                row.createdAt,
                row.lastSeq,
                row.outLength,
                row.errLength,
                row.journalBytes,
                rerun(row),
                EffectModeColumn.toEffectMode(input.effects),
                Optional.ofNullable(input.outputSchema),
                trace(input),
                Optional.ofNullable(input.saveAs),
                sharesReads(input) ? Optional.ofNullable(row.batch).flatMap(BatchId::parse) : Optional.empty(),
                Optional.ofNullable(row.capability).flatMap(CapabilityRef::parse),
                Optional.ofNullable(row.parent).flatMap(ExecutionId::parse),
                row.endsBy != null && !deadline.isBefore(row.endsBy),
                Optional.ofNullable(row.concurrencyKey),
                variables(input),
                BlockedAttemptsColumn.toAttempts(row.blockedAttempts),
                Optional.ofNullable(input.sandbox).flatMap(CapabilitySandbox::of),
                row.nodeLosses);
    }

    private static Optional<PinnedVariables> variables(ExecutionInputEntity input) {
        return Optional.ofNullable(input.variables).map(PinnedVariables::ofStored);
    }

    private static Optional<TraceContext> trace(ExecutionInputEntity input) {
        return Optional.ofNullable(input.trace).flatMap(TraceContext::fromStored);
    }

    private static Optional<RerunOrigin> rerun(ExecutionEntity row) {
        RerunOrigin.RerunMode mode = row.rerunMode;
        return row.rerunOf == null || mode == null
                ? Optional.empty()
                : ExecutionId.parse(row.rerunOf)
                        .map(of -> new RerunOrigin(
                                of,
                                mode,
                                row.rerunFrom == null ? 1 : row.rerunFrom,
                                Boolean.TRUE.equals(row.rerunEdited)));
    }

    private static ExecutionLimits limits(ExecutionEntity row, ExecutionInputEntity input) {
        return new ExecutionLimits(
                row.wallMillis,
                input.cpuMillis,
                input.heapBytes,
                input.toolCalls,
                input.outputChars,
                Optional.ofNullable(input.costLimit).map(Cost::new),
                FurtherLimitsColumn.limits(input.furtherLimits));
    }
}
