package org.sallyport.batch;

import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;

/**
 * One item of a stored batch.
 *
 * @param index its position in the batch, from 0
 * @param execution its execution; empty when the item was rejected
 * @param state the execution's state when it was read; empty when there is no execution, or it was deleted
 * @param problem why the item was rejected
 */
public record BatchItem(
        int index, Optional<ExecutionId> execution, Optional<ExecutionState> state, Optional<Json> problem) {}
