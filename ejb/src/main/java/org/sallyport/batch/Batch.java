package org.sallyport.batch;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.execution.BatchId;

/**
 * A batch as it was when it was read.
 *
 * @param id its id
 * @param tenant whose it is
 * @param total its items
 * @param rejected how many of them nothing was made of
 * @param maxParallel how many of its executions may be under way at one time
 * @param onFailure what a failure means for the others
 * @param stopReason why what had not begun was cancelled: {@code failure} or {@code caller}
 * @param retryOf the batch whose failed executions these are again
 * @param createdAt when it was accepted
 */
public record Batch(
        BatchId id,
        String tenant,
        int total,
        int rejected,
        Optional<Integer> maxParallel,
        BatchFailurePolicy onFailure,
        Optional<String> stopReason,
        Optional<BatchId> retryOf,
        Instant createdAt) {}
