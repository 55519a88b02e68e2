package org.sallyport.execution;

import org.sallyport.tool.Json;

/** How an execution ended. */
public sealed interface Outcome {

    /** The terminal state it leads to. */
    ExecutionState state();

    /** The script returned {@code result}. */
    record Completed(Json result) implements Outcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.COMPLETED;
        }
    }

    /** It failed. */
    record Failed(ExecutionError error) implements Outcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.FAILED;
        }
    }

    /** A caller cancelled it. */
    record Cancelled() implements Outcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.CANCELLED;
        }
    }

    /** It passed its wall-clock limit. */
    record TimedOut(ExecutionError error) implements Outcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.TIMED_OUT;
        }
    }
}
