package org.sallyport.cli.api;

/**
 * Response to a submission.
 *
 * @param replayed whether the execution existed before, with the same idempotency key
 */
public record ApiSubmissionResult(ApiExecution execution, boolean replayed) {}
