package org.sallyport.batch;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CapabilityRef;
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
 * @param capability the capability that the batch names for all its items
 * @param columns names of the columns of its rows; empty if its items are not rows
 * @param idempotency the submitter's key against double submission
 */
public record NewBatch(
        BatchId id,
        String tenant,
        String submitter,
        Optional<Integer> maxParallel,
        BatchFailurePolicy onFailure,
        Optional<BatchId> retryOf,
        Optional<CapabilityRef> capability,
        List<String> columns,
        Optional<IdempotencyKey> idempotency) {
    public NewBatch {
        columns = List.copyOf(columns);
    }
}
