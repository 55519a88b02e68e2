package org.sallyport.execution;

import java.util.Optional;
import org.sallyport.tool.Json;

/** How an execution ended. */
public sealed interface ExecutionOutcome {

    /** The terminal state it leads to. */
    ExecutionState state();

    /**
     * The script returned {@code result}.
     *
     * @param saveAs the name under which the script is to be kept, if it is
     */
    record ExecutionCompleted(Json result, Optional<String> saveAs) implements ExecutionOutcome {
        /** With a script that is not to be kept. */
        public ExecutionCompleted(Json result) {
            this(result, Optional.empty());
        }

        /** The same, with its script to be kept. */
        public ExecutionCompleted withSaveAs(Optional<String> name) {
            return new ExecutionCompleted(result, name);
        }

        @Override
        public ExecutionState state() {
            return ExecutionState.COMPLETED;
        }
    }

    /** It failed. */
    record ExecutionFailed(ExecutionError error) implements ExecutionOutcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.FAILED;
        }
    }

    /** A caller cancelled it. */
    record ExecutionCancelled() implements ExecutionOutcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.CANCELLED;
        }
    }

    /** It passed its wall-clock limit. */
    record ExecutionTimedOut(ExecutionError error) implements ExecutionOutcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.TIMED_OUT;
        }
    }
}
