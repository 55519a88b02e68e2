package org.sallyport.batch;

import org.sallyport.execution.NewExecution;
import org.sallyport.tool.Json;

/** An item of a batch about to be stored. */
public sealed interface NewBatchItem {

    /** The item has an execution. */
    record AcceptedBatchItem(NewExecution execution) implements NewBatchItem {}

    /** The item is rejected; {@code problem} gives the reason. */
    record RejectedBatchItem(Json problem) implements NewBatchItem {}
}
