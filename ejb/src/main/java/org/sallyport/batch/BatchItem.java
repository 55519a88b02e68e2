package org.sallyport.batch;

import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;

/**
 * What became of an item.
 *
 * @param index its place in the batch, from 0
 * @param execution what was made of it
 * @param state the execution's state when it was read; empty when there is none, or none any more
 * @param problem why nothing was made of it
 */
public record BatchItem(
        int index, Optional<ExecutionId> execution, Optional<ExecutionState> state, Optional<Json> problem) {}
