package org.sallyport.runner;

import java.time.Duration;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Tells how runs on this node fare, for figures and for the log. Thread-safe. */
public final class RunMetricsListener {
    private static final RunObserver NO_OP = new RunObserver() {};

    private final RefusedCallLog refusals = new RefusedCallLog(System::nanoTime);
    private volatile RunObserver observer = NO_OP;

    /** Hears of runs, on the threads that run them: it must not block. */
    public interface RunObserver {
        /**
         * An execution has ended here.
         *
         * @param life since it was accepted
         * @param run since the last run of it began
         */
        default void onExecutionFinished(ExecutionState state, Duration life, Duration run) {}

        /** A call was answered. */
        default void onCallAnswered(ToolName tool, ToolResult result, Duration duration) {}

        /** A call that did not come to its tool is made to another in its place. */
        default void onFallback(ToolName tool, ToolName other) {}

        /** A call that costs something is about to be made. */
        default void onCallCharged(ToolName tool, Cost cost) {}
    }

    /** Has {@code listener} told from now on; there is one at most. */
    public void setObserver(RunObserver whom) {
        observer = whom;
    }

    /** Which calls are not made, and why. */
    RefusedCallLog refusals() {
        return refusals;
    }

    RunObserver observer() {
        return observer;
    }
}
