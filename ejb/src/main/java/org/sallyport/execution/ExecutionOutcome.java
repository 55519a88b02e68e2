package org.sallyport.execution;

import java.util.Optional;
import org.sallyport.tool.Json;

/** How an execution ended. */
public sealed interface ExecutionOutcome {

    /** Returns the terminal state of this outcome. */
    ExecutionState state();

    /**
     * The script returned {@code result}.
     *
     * @param saveAs the name under which the script is saved, if any
     */
    record ExecutionCompleted(Json result, Optional<String> saveAs) implements ExecutionOutcome {
        /** Creates the outcome of a script that is not saved. */
        public ExecutionCompleted(Json result) {
            this(result, Optional.empty());
        }

        /** Returns a copy whose script is saved under {@code name}. */
        public ExecutionCompleted withSaveAs(Optional<String> name) {
            return new ExecutionCompleted(result, name);
        }

        @Override
        public ExecutionState state() {
            return ExecutionState.COMPLETED;
        }
    }

    /** The script or the service failed. */
    record ExecutionFailed(ExecutionError error) implements ExecutionOutcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.FAILED;
        }
    }

    /** A client cancelled the execution. */
    record ExecutionCancelled() implements ExecutionOutcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.CANCELLED;
        }
    }

    /** The execution exceeded its wall-clock limit or its deadline. */
    record ExecutionTimedOut(ExecutionError error) implements ExecutionOutcome {
        @Override
        public ExecutionState state() {
            return ExecutionState.TIMED_OUT;
        }
    }
}
