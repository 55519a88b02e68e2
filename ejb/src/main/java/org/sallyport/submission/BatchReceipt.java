package org.sallyport.submission;

import java.util.Map;
import org.sallyport.execution.BatchId;
import org.sallyport.tool.Json;

/** What became of a batch. */
public sealed interface BatchReceipt {

    /**
     * It is stored, and what could be accepted of it will run.
     *
     * @param id the batch
     * @param replayed whether it was stored before, by the same request
     */
    record Accepted(BatchId id, boolean replayed) implements BatchReceipt {}

    /** It has none or too many items; nothing is stored. */
    record WrongSize(int count, int most) implements BatchReceipt {}

    /** It was to be accepted whole, and cannot be; nothing is stored. Problems by index. */
    record Refused(Map<Integer, Json> problems) implements BatchReceipt {}

    /** Refused as a single submission would be; nothing is stored. */
    record AsOne(Receipt refusal) implements BatchReceipt {}

    /** As many batches as this node takes at one time are being stored; nothing of this one is. */
    record Busy() implements BatchReceipt {}

    /** There is no such batch; nothing is stored. */
    record NoOriginal() implements BatchReceipt {}

    /** Of the batch that is to be retried nothing has failed; nothing is stored. */
    record NothingFailed() implements BatchReceipt {}
}
