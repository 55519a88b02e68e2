package org.sallyport.submission;

import org.sallyport.execution.NewExecution;

/** What a request for a run came to. */
sealed interface MadeRun {

    /** It can be stored. */
    record Ready(NewExecution execution) implements MadeRun {}

    /** It would not be accepted. */
    record Refused(Receipt why) implements MadeRun {}
}
