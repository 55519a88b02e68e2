package org.sallyport.runner;

import java.time.Duration;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/**
 * Reports the runs on this node to an observer for metrics, and refused calls and blocked attempts to the log.
 * Thread-safe.
 */
public final class RunMetricsListener {
    private static final RunObserver NO_OP = new RunObserver() {};

    private final RefusedCallLog refusals = new RefusedCallLog(System::nanoTime);
    private final BlockedAttemptLog attemptLog = new BlockedAttemptLog(System::nanoTime);
    private volatile RunObserver observer = NO_OP;

    /** Observes runs. Called on the threads that run them, so it must not block. */
    public interface RunObserver {
        /**
         * An execution has ended on this node.
         *
         * @param life time since it was accepted
         * @param run time since its last run began
         */
        default void onExecutionFinished(ExecutionState state, Duration life, Duration run) {}

        /** An execution with blocked attempts has ended on this node. */
        default void onAttemptsBlocked(BlockedAttempts attempts) {}

        /** The script received the reply to a call. */
        default void onCallAnswered(ToolName tool, ToolResult result, Duration duration) {}

        /** A call that its backend did not take is about to be sent to a fallback tool. */
        default void onFallback(ToolName tool, ToolName other) {}

        /** A call was charged and is about to be sent. */
        default void onCallCharged(ToolName tool, Cost cost) {}
    }

    /** Sets the observer {@code whom}, which replaces the previous one. */
    public void setObserver(RunObserver whom) {
        observer = whom;
    }

    /** Returns the log of refused calls. */
    RefusedCallLog refusals() {
        return refusals;
    }

    /** Returns the log of blocked attempts. */
    BlockedAttemptLog attemptLog() {
        return attemptLog;
    }

    RunObserver observer() {
        return observer;
    }
}
