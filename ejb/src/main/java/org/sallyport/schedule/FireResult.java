package org.sallyport.schedule;

import java.util.List;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/** What became of a time that was due. */
public sealed interface FireResult {

    /** An execution is stored. */
    record ScheduleFired(ExecutionJob job) implements FireResult {}

    /** Nothing is stored yet: these executions must end first. */
    record FireDeferred(List<ExecutionId> waitingFor) implements FireResult {}

    /** The time is left out, since an execution had not ended. */
    record FireSkipped() implements FireResult {}

    /** Somebody else has seen to it, or has changed the schedule. */
    record FireSuperseded() implements FireResult {}
}
