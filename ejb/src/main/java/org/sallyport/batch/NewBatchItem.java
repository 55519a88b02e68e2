package org.sallyport.batch;

import org.sallyport.execution.NewExecution;
import org.sallyport.tool.Json;

/** An item of a batch about to be accepted. */
public sealed interface NewBatchItem {

    /** It is to run. */
    record AcceptedBatchItem(NewExecution execution) implements NewBatchItem {}

    /** Nothing can be made of it; {@code problem} says why. */
    record RejectedBatchItem(Json problem) implements NewBatchItem {}
}
