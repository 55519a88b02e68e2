package org.sallyport.runner;

import java.time.Duration;
import java.util.Optional;
import org.sallyport.catalog.CachingSchemaValidator;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ErrorOrigin;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;

/** Maps the end of a session to the outcome of its execution. */
final class OutcomeMapper {
    private static final int MAX_TEXT_LENGTH = 20_000;
    private static final int MAX_TOOL_NAME_LENGTH = 1_000;
    private static final CachingSchemaValidator VALUES = new CachingSchemaValidator();

    private OutcomeMapper() {}

    /** Why the runner stopped a session. */
    enum StopReason {
        NONE,
        CANCEL,
        TIME_OUT,
        DEADLINE,
        DIVERGED,
        OUTSIDE_PLAN,
        RECORDING_GONE,
        INTERNAL_ERROR,
        SHUTDOWN
    }

    static ExecutionOutcome toOutcome(SessionResult end, StopReason stop, ExecutionLimits limits) {
        if (end instanceof SessionResult.ScriptReturned returned) {
            return new ExecutionOutcome.ExecutionCompleted(new Json(returned.result()));
        } else if (end instanceof SessionResult.ScriptThrew threw) {
            return new ExecutionOutcome.ExecutionFailed(scriptError(threw));
        } else if (end instanceof SessionResult.SessionLimitReached reached) {
            return failed(limitErrorCode(reached.limit()), reached.message());
        } else if (stop != StopReason.NONE) {
            return stoppedOutcome(stop, limits);
        } else if (end instanceof SessionResult.SessionLost lost) {
            return failed(lossErrorCode(lost.reason()), lost.message());
        }
        return failed(ErrorCode.INTERNAL_ERROR, "the sandbox stopped the script without being asked to");
    }

    /**
     * Checks the result against the capability's output schema, on which its callers rely. A mismatch fails the
     * execution.
     */
    static ExecutionOutcome checkOutputSchema(ExecutionOutcome outcome, Optional<Json> schema) {
        if (schema.isEmpty() || !(outcome instanceof ExecutionOutcome.ExecutionCompleted completed)) {
            return outcome;
        }
        return VALUES.validate(schema.get(), completed.result())
                .map(violation -> failed(
                        ErrorCode.OUTPUT_MISMATCH,
                        "the result does not match the capability's output schema: "
                                + (violation.pointer().isEmpty() ? "" : "at " + violation.pointer() + " ")
                                + violation.reason()))
                .orElse(outcome);
    }

    /** Returns the outcome with shortened texts if a script has made those of its error longer than readers need. */
    static ExecutionOutcome withShortTexts(ExecutionOutcome outcome) {
        if (!(outcome instanceof ExecutionOutcome.ExecutionFailed failed)) {
            return outcome;
        }
        ExecutionError error = failed.error();
        return new ExecutionOutcome.ExecutionFailed(new ExecutionError(
                error.code(),
                error.origin(),
                PlainText.shorten(error.message(), MAX_TEXT_LENGTH),
                error.line(),
                error.column(),
                PlainText.shorten(error.stack(), MAX_TEXT_LENGTH),
                error.tool().map(name -> PlainText.shorten(name, MAX_TOOL_NAME_LENGTH)),
                error.call()));
    }

    private static ExecutionOutcome stoppedOutcome(StopReason stop, ExecutionLimits limits) {
        return switch (stop) {
            case CANCEL -> new ExecutionOutcome.ExecutionCancelled();
            case TIME_OUT -> timedOut(limits);
            case DEADLINE ->
                new ExecutionOutcome.ExecutionTimedOut(ExecutionError.of(
                        ErrorCode.WALL_CLOCK_LIMIT, "the deadline of the execution passed while the script ran"));
            case RECORDING_GONE ->
                failed(
                        ErrorCode.RECORDING_GONE,
                        "the execution that this one re-runs is no longer stored; start a fresh re-run of this one");
            case INTERNAL_ERROR ->
                failed(
                        ErrorCode.INTERNAL_ERROR,
                        "an error of the server stopped the script; the log of the server has its cause");
            case SHUTDOWN, DIVERGED, OUTSIDE_PLAN, NONE ->
                failed(
                        ErrorCode.RUNNER_LOST,
                        "the service was stopped while the script ran, and with durability none the script is not run "
                                + "again");
        };
    }

    static ExecutionOutcome timedOut(ExecutionLimits limits) {
        return new ExecutionOutcome.ExecutionTimedOut(ExecutionError.of(
                ErrorCode.WALL_CLOCK_LIMIT,
                "the script did not end within " + limits.wallMillis()
                        + " ms; ask for more with limits.wallMillis, up to the server's maximum"));
    }

    /**
     * Returns the outcome for a script that would wait longer than {@code maxWait}, because no execution may stay
     * forever.
     */
    static ExecutionOutcome waitTooLong(Duration wait, Duration maxWait) {
        return new ExecutionOutcome.ExecutionTimedOut(ExecutionError.of(
                ErrorCode.WALL_CLOCK_LIMIT,
                "the script would wait for " + wait.toDays() + " days; the maximum is " + maxWait.toDays()
                        + " (setting sallyport.limits.max-parked-millis)"));
    }

    /** Returns the outcome for a run that did not repeat the calls of an earlier run. */
    static ExecutionOutcome diverged(String how, boolean rerun) {
        String when = rerun
                ? "the script was run again with its recording"
                : "the script was run again after an interruption";
        return failed(ErrorCode.NON_DETERMINISTIC_REPLAY, when + " and did not repeat what it had done: " + how);
    }

    static ExecutionOutcome failed(ErrorCode code, String message) {
        return new ExecutionOutcome.ExecutionFailed(ExecutionError.of(code, message));
    }

    private static ExecutionError scriptError(SessionResult.ScriptThrew threw) {
        ErrorOrigin culprit = threw.tool() != null ? ErrorOrigin.TOOL : ErrorOrigin.SCRIPT;
        return new ExecutionError(
                threw.code(),
                culprit,
                threw.message(),
                threw.line(),
                threw.column(),
                threw.stack(),
                Optional.ofNullable(threw.tool()),
                threw.call());
    }

    private static ErrorCode limitErrorCode(SessionResult.SessionLimitType limit) {
        return switch (limit) {
            case CPU -> ErrorCode.CPU_LIMIT;
            case MEMORY -> ErrorCode.MEMORY_LIMIT;
            case RESULT -> ErrorCode.RESULT_TOO_LARGE;
            case RECORD -> ErrorCode.RECORD_LIMIT;
        };
    }

    private static ErrorCode lossErrorCode(SessionResult.SessionLossReason reason) {
        return switch (reason) {
            case WORKER_LOST -> ErrorCode.WORKER_LOST;
            case OUT_OF_MEMORY -> ErrorCode.MEMORY_LIMIT;
            case PROTOCOL_VIOLATION -> ErrorCode.PROTOCOL_VIOLATION;
            case UNAVAILABLE -> ErrorCode.SANDBOX_UNAVAILABLE;
        };
    }
}
