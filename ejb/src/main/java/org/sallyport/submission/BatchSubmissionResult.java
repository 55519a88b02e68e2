package org.sallyport.submission;

import java.util.Map;
import org.sallyport.execution.BatchId;
import org.sallyport.tool.Json;

/** What became of a batch. */
public sealed interface BatchSubmissionResult {

    /**
     * It is stored, and what could be accepted of it will run.
     *
     * @param id the batch
     * @param replayed whether it was stored before, by the same request
     */
    record BatchAccepted(BatchId id, boolean replayed) implements BatchSubmissionResult {}

    /** It has none or too many items; nothing is stored. */
    record WrongBatchSize(int count, int max) implements BatchSubmissionResult {}

    /** It was to be accepted whole, and cannot be; nothing is stored. Problems by index. */
    record BatchRefused(Map<Integer, Json> problems) implements BatchSubmissionResult {}

    /** Refused as a single submission would be; nothing is stored. */
    record RefusedAsSubmission(SubmissionResult refusal) implements BatchSubmissionResult {}

    /** As many batches as this node takes at one time are being stored; nothing of this one is. */
    record BatchServiceBusy() implements BatchSubmissionResult {}

    /** There is no such batch; nothing is stored. */
    record OriginalBatchNotFound() implements BatchSubmissionResult {}

    /** Of the batch that is to be retried nothing has failed; nothing is stored. */
    record NoFailedItems() implements BatchSubmissionResult {}
}
