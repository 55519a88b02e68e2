package org.sallyport.submission;

import org.sallyport.execution.NewExecution;

/** Outcome of the preparation of a run request. */
sealed interface PreparedExecution {

    /** The execution can be stored. */
    record ExecutionReady(NewExecution execution) implements PreparedExecution {}

    /** The request would be refused. */
    record ExecutionRefused(SubmissionResult refusal) implements PreparedExecution {}
}
