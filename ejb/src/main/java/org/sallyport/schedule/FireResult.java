package org.sallyport.schedule;

import java.util.List;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/** Outcome of firing a schedule. */
public sealed interface FireResult {

    /** An execution is stored. */
    record ScheduleFired(ExecutionJob job) implements FireResult {}

    /** No execution is stored yet: these executions must end first. */
    record FireDeferred(List<ExecutionId> waitingFor) implements FireResult {}

    /** The time is skipped, because an execution had not ended. */
    record FireSkipped() implements FireResult {}

    /** Another node has handled the time, or the schedule was changed. */
    record FireSuperseded() implements FireResult {}
}
