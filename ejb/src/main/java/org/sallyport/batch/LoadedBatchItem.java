package org.sallyport.batch;

import java.util.Optional;
import org.sallyport.execution.Execution;
import org.sallyport.tool.Json;

/**
 * One item of a stored batch with its execution and its row.
 *
 * @param item the item
 * @param execution its execution; empty if it was refused or its execution was deleted
 * @param row the row of which it was made; empty if its batch has no rows
 */
public record LoadedBatchItem(BatchItem item, Optional<Execution> execution, Optional<Json> row) {}
