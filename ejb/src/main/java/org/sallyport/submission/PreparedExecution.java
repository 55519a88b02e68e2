package org.sallyport.submission;

import org.sallyport.execution.NewExecution;

/** What a request for a run came to. */
sealed interface PreparedExecution {

    /** It can be stored. */
    record ExecutionReady(NewExecution execution) implements PreparedExecution {}

    /** It would not be accepted. */
    record ExecutionRefused(SubmissionResult refusal) implements PreparedExecution {}
}
