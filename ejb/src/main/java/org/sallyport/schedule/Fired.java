package org.sallyport.schedule;

import java.util.List;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PendingJob;

/** What became of a time that was due. */
public sealed interface Fired {

    /** An execution is stored. */
    record Begun(PendingJob job) implements Fired {}

    /** Nothing is stored yet: these executions must end first. */
    record Held(List<ExecutionId> by) implements Fired {}

    /** The time is left out, since an execution had not ended. */
    record LeftOut() implements Fired {}

    /** Somebody else has seen to it, or has changed the schedule. */
    record Overtaken() implements Fired {}
}
