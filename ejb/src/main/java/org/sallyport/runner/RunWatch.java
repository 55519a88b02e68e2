package org.sallyport.runner;

import java.time.Duration;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Tells how runs on this node fare, for figures and for the log. Thread-safe. */
public final class RunWatch {
    private static final Listener NOBODY = new Listener() {};

    private final RefusedCalls refusals = new RefusedCalls(System::nanoTime);
    private volatile Listener listener = NOBODY;

    /** Hears of runs, on the threads that run them: it must not block. */
    public interface Listener {
        /**
         * An execution has ended here.
         *
         * @param life since it was accepted
         * @param run since the last run of it began
         */
        default void ended(ExecutionState state, Duration life, Duration run) {}

        /** A call was answered. */
        default void answered(ToolName tool, ToolResult result, Duration duration) {}

        /** A call that did not come to its tool is made to another in its place. */
        default void fellBack(ToolName tool, ToolName other) {}

        /** A call that costs something is about to be made. */
        default void charged(ToolName tool, Cost cost) {}
    }

    /** Has {@code listener} told from now on; there is one at most. */
    public void tell(Listener whom) {
        listener = whom;
    }

    /** Which calls are not made, and why. */
    RefusedCalls refusals() {
        return refusals;
    }

    Listener listener() {
        return listener;
    }
}
