package org.sallyport.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Claim;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Limits;
import org.sallyport.execution.Pause;
import org.sallyport.execution.Progress;
import org.sallyport.execution.ScriptTier;

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
                Optional.ofNullable(row.finishedAt));
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
                pause(row));
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
                input.code,
                row.language,
                input.args,
                input.context,
                limits(row, input),
                JsonColumns.list(input.grants),
                input.debug == null ? DebugMode.NONE : input.debug,
                input.seed == null ? row.id.toString() : input.seed,
                Durability.of(row.durability),
                Math.max(0, Duration.between(now, deadline).toMillis()),
                row.createdAt,
                row.lastSeq,
                row.outLength,
                row.errLength);
    }

    private static Limits limits(ExecutionRow row, InputRow input) {
        return new Limits(row.wallMillis, input.cpuMillis, input.heapBytes, input.toolCalls, input.outputChars);
    }
}
