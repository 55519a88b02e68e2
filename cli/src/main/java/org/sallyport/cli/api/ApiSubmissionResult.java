package org.sallyport.cli.api;

/**
 * The answer to a submission.
 *
 * @param replayed whether the idempotency key named an execution that existed before
 */
public record ApiSubmissionResult(ApiExecution execution, boolean replayed) {}
