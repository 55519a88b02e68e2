package org.sallyport.batch;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CapabilityRef;

/**
 * Snapshot of a batch.
 *
 * @param id its id
 * @param tenant the owning tenant
 * @param submitter id of the caller who submitted it
 * @param total number of items
 * @param rejected number of items that were rejected
 * @param coalesced number of items that are answered by the execution of an equal item
 * @param maxParallel how many of its executions may be under way at the same time
 * @param onFailure how a failed execution affects the others
 * @param stopReason why the executions that had not started were cancelled: {@code failure}, {@code caller} or
 *     {@code schedule}
 * @param cancellation the caller who cancelled it, and why, if one did
 * @param retryOf the batch whose failed executions it retries
 * @param capability the capability that the batch names for all its items
 * @param columns names of the columns of its rows; empty if its items are not rows
 * @param createdAt when it was accepted
 */
public record Batch(
        BatchId id,
        String tenant,
        String submitter,
        int total,
        int rejected,
        int coalesced,
        Optional<Integer> maxParallel,
        BatchFailurePolicy onFailure,
        Optional<String> stopReason,
        Optional<CancelRequest> cancellation,
        Optional<BatchId> retryOf,
        Optional<CapabilityRef> capability,
        List<String> columns,
        Instant createdAt) {
    public Batch {
        columns = List.copyOf(columns);
    }
}
