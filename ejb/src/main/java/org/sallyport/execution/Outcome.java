package org.sallyport.execution;

import java.util.Optional;
import org.sallyport.tool.Json;

/** How an execution ended. */
public sealed interface Outcome {

    /** The terminal state it leads to. */
    ExecutionState state();

    /**
     * The script returned {@code result}.
     *
     * @param keepAs the name under which the script is to be kept, if it is
     */
    record Completed(Json result, Optional<String> keepAs) implements Outcome {
        /** With a script that is not to be kept. */
        public Completed(Json result) {
            this(result, Optional.empty());
        }

        /** The same, with its script to be kept. */
        public Completed keeping(Optional<String> name) {
            return new Completed(result, name);
        }

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
