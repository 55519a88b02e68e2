package org.sallyport.runner;

import java.time.Duration;
import java.util.Optional;
import org.sallyport.catalog.ValueSchemas;
import org.sallyport.execution.Culprit;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.Limits;
import org.sallyport.execution.Outcome;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.tool.Json;

/** Says what the end of a session means for its execution. */
final class Outcomes {
    private static final ValueSchemas VALUES = new ValueSchemas();

    private Outcomes() {}

    /** Why the runner itself stopped a session. */
    enum Stop {
        NONE,
        CANCEL,
        TIME_OUT,
        DEADLINE,
        DIVERGED,
        OUTSIDE_PLAN,
        RECORDING_GONE,
        SHUTDOWN
    }

    static Outcome of(SessionEnd end, Stop stop, Limits limits) {
        if (end instanceof SessionEnd.Returned returned) {
            return new Outcome.Completed(new Json(returned.result()));
        } else if (end instanceof SessionEnd.Threw threw) {
            return new Outcome.Failed(thrown(threw));
        } else if (end instanceof SessionEnd.LimitReached reached) {
            return failed(limit(reached.limit()), reached.message());
        } else if (stop != Stop.NONE) {
            return stopped(stop, limits);
        } else if (end instanceof SessionEnd.Lost lost) {
            return failed(lost(lost.reason()), lost.message());
        }
        return failed(ErrorCode.INTERNAL_ERROR, "the sandbox stopped the script without being asked to");
    }

    /** What a capability returns must be what it says it returns: whoever calls it relies on that. */
    static Outcome checked(Outcome outcome, Optional<Json> schema) {
        if (schema.isEmpty() || !(outcome instanceof Outcome.Completed completed)) {
            return outcome;
        }
        return VALUES.fault(schema.get(), completed.result())
                .map(fault -> failed(
                        ErrorCode.OUTPUT_MISMATCH,
                        "the result is not what the capability's output schema says: "
                                + (fault.pointer().isEmpty() ? "" : "at " + fault.pointer() + " ") + fault.reason()))
                .orElse(outcome);
    }

    private static Outcome stopped(Stop stop, Limits limits) {
        return switch (stop) {
            case CANCEL -> new Outcome.Cancelled();
            case TIME_OUT -> timedOut(limits);
            case DEADLINE ->
                new Outcome.TimedOut(ExecutionError.of(
                        ErrorCode.WALL_CLOCK_LIMIT, "the deadline of the execution passed while the script ran"));
            case RECORDING_GONE ->
                failed(
                        ErrorCode.RECORDING_GONE,
                        "the execution that this one repeats is not stored any more; a fresh re-run of this one can be made");
            case SHUTDOWN, DIVERGED, OUTSIDE_PLAN, NONE ->
                failed(
                        ErrorCode.RUNNER_LOST,
                        "the service was stopped while the script ran, and with durability none the script is not run again");
        };
    }

    static Outcome timedOut(Limits limits) {
        return new Outcome.TimedOut(ExecutionError.of(
                ErrorCode.WALL_CLOCK_LIMIT,
                "the script did not end within " + limits.wallMillis()
                        + " ms; ask for more with limits.wallMillis, up to the server's maximum"));
    }

    /** No execution may stay for ever. */
    static Outcome sleepsTooLong(Duration wait, Duration most) {
        return new Outcome.TimedOut(ExecutionError.of(
                ErrorCode.WALL_CLOCK_LIMIT,
                "the script would wait for " + wait.toDays() + " days, and " + most.toDays()
                        + " is the most (setting sallyport.limits.parked-millis)"));
    }

    /** A second run did not do what the first did. */
    static Outcome diverged(String how, boolean rerun) {
        String when = rerun
                ? "the script was run again with its recording"
                : "the script was run again after an interruption";
        return failed(ErrorCode.NON_DETERMINISTIC_REPLAY, when + " and did not repeat what it had done: " + how);
    }

    static Outcome failed(ErrorCode code, String message) {
        return new Outcome.Failed(ExecutionError.of(code, message));
    }

    private static ExecutionError thrown(SessionEnd.Threw threw) {
        Culprit culprit = threw.tool() != null ? Culprit.TOOL : Culprit.SCRIPT;
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

    private static ErrorCode limit(SessionEnd.Limit limit) {
        return switch (limit) {
            case CPU -> ErrorCode.CPU_LIMIT;
            case MEMORY -> ErrorCode.MEMORY_LIMIT;
            case RESULT -> ErrorCode.RESULT_TOO_LARGE;
            case RECORD -> ErrorCode.RECORD_LIMIT;
        };
    }

    private static ErrorCode lost(SessionEnd.Reason reason) {
        return switch (reason) {
            case WORKER_LOST -> ErrorCode.WORKER_LOST;
            case OUT_OF_MEMORY -> ErrorCode.MEMORY_LIMIT;
            case PROTOCOL_VIOLATION -> ErrorCode.PROTOCOL_VIOLATION;
            case UNAVAILABLE -> ErrorCode.SANDBOX_UNAVAILABLE;
        };
    }
}
