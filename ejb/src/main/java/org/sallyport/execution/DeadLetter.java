package org.sallyport.execution;

import java.time.Instant;
import java.util.Optional;

/**
 * An execution that failed because no runner could take its job.
 *
 * @param execution as it ended
 * @param at when the broker had given its job up
 * @param reason what is known of it, for people
 * @param redeliveredAs the execution that was last made to do it again
 */
public record DeadLetter(ExecutionSummary execution, Instant at, String reason, Optional<ExecutionId> redeliveredAs) {}
