package org.sallyport.submission;

import java.util.Map;
import org.sallyport.execution.BatchId;
import org.sallyport.tool.Json;

/** Outcome of the submission of a batch, or of a check of one. */
public sealed interface BatchSubmissionResult {

    /**
     * The batch is stored, and its accepted items will run.
     *
     * @param id the batch
     * @param replayed whether an earlier request with the same idempotency key stored it
     */
    record BatchAccepted(BatchId id, boolean replayed) implements BatchSubmissionResult {}

    /**
     * The store did not answer, so it is unknown whether the batch is stored, now or later. If it is, its accepted
     * items will run.
     *
     * @param id the batch, if it is stored
     */
    record BatchOutcomeUnknown(BatchId id) implements BatchSubmissionResult {}

    /**
     * The batch was only checked; nothing is stored. Quotas are not checked.
     *
     * @param coalesced how many items the execution of an equal item would answer
     * @param problems the reasons why items would be refused, by item index
     */
    record BatchChecked(int total, int coalesced, Map<Integer, Json> problems) implements BatchSubmissionResult {}

    /** The batch has no items or too many; nothing is stored. */
    record WrongBatchSize(int count, int max) implements BatchSubmissionResult {}

    /** The batch is atomic and has refused items; nothing is stored. Problems by item index. */
    record BatchRefused(Map<Integer, Json> problems) implements BatchSubmissionResult {}

    /** The batch is refused for a reason that also refuses a single submission; nothing is stored. */
    record RefusedAsSubmission(SubmissionResult refusal) implements BatchSubmissionResult {}

    /**
     * The batch has more executions than a quota of the tenant, so it cannot be accepted later either; nothing is
     * stored.
     *
     * @param runs number of executions of the batch
     * @param limit the quota
     * @param refusal the refusal of a batch that could be accepted later
     */
    record BatchAboveQuota(int runs, long limit, SubmissionResult refusal) implements BatchSubmissionResult {}

    /** The schedule of the batch was changed, or another node has handled its time; nothing is stored. */
    record BatchSuperseded() implements BatchSubmissionResult {}

    /** This node already stores the maximum number of batches at the same time; nothing of this one is stored. */
    record BatchServiceBusy() implements BatchSubmissionResult {}

    /** The batch to retry does not exist; nothing is stored. */
    record OriginalBatchNotFound() implements BatchSubmissionResult {}

    /** The batch to retry has no failed items; nothing is stored. */
    record NoFailedItems() implements BatchSubmissionResult {}
}
