package org.sallyport.batch;

import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.NewExecution.IdempotencyKey;

/**
 * A batch about to be stored.
 *
 * @param id its id
 * @param tenant the owning tenant
 * @param submitter id of the API key that submitted it
 * @param maxParallel how many of its executions may be under way at the same time
 * @param onFailure how a failed execution affects the others
 * @param retryOf the batch whose failed executions it retries
 * @param idempotency the submitter's key against double submission
 */
public record NewBatch(
        BatchId id,
        String tenant,
        String submitter,
        Optional<Integer> maxParallel,
        BatchFailurePolicy onFailure,
        Optional<BatchId> retryOf,
        Optional<IdempotencyKey> idempotency) {}
