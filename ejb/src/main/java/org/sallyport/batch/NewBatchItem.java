package org.sallyport.batch;

import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.tool.Json;

/** An item of a batch about to be stored. */
public sealed interface NewBatchItem {

    /** The row of which the item was made, as it was sent; empty if its batch has no rows. */
    Optional<Json> row();

    /** The item has an execution. */
    record AcceptedBatchItem(NewExecution execution, Optional<Json> row) implements NewBatchItem {

        /** An item of a batch without rows. */
        public AcceptedBatchItem(NewExecution execution) {
            this(execution, Optional.empty());
        }
    }

    /** The execution of an equal item of the batch, stored before, also answers this one. */
    record CoalescedBatchItem(ExecutionId execution, Optional<Json> row) implements NewBatchItem {}

    /** The item is rejected; {@code problem} gives the reason. */
    record RejectedBatchItem(Json problem, Optional<Json> row) implements NewBatchItem {

        /** An item of a batch without rows. */
        public RejectedBatchItem(Json problem) {
            this(problem, Optional.empty());
        }
    }
}
