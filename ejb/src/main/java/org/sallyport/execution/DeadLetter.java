package org.sallyport.execution;

import java.time.Instant;
import java.util.Optional;

/**
 * An execution that failed because no runner could take its job.
 *
 * @param execution the execution after it ended
 * @param at when the broker gave up its job
 * @param reason the known cause, for operators
 * @param redeliveredAs the latest execution that redelivers it, if any
 */
public record DeadLetter(ExecutionSummary execution, Instant at, String reason, Optional<ExecutionId> redeliveredAs) {}
