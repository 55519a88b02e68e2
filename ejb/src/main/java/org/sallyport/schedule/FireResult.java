package org.sallyport.schedule;

import java.util.List;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/** Outcome of firing a schedule. */
public sealed interface FireResult {

    /** An execution is stored. */
    record ScheduleFired(ExecutionJob job) implements FireResult {}

    /** Nothing is stored yet: these executions and batches of the schedule must end first. */
    record FireDeferred(List<ExecutionId> executions, List<BatchId> batches) implements FireResult {
        public FireDeferred {
            executions = List.copyOf(executions);
            batches = List.copyOf(batches);
        }
    }

    /** The time is claimed: other nodes leave it alone for a while, and this node submits the batch. */
    record BatchClaimed() implements FireResult {}

    /** A batch is stored. */
    record BatchFired() implements FireResult {}

    /** The time is skipped, because an earlier run had not ended. */
    record FireSkipped() implements FireResult {}

    /** Another node has handled the time, or the schedule was changed. */
    record FireSuperseded() implements FireResult {}
}
