package org.sallyport.batch;

/**
 * One item of a stored batch, with the size of what the store has about it.
 *
 * @param item the item
 * @param bytes bytes of its problem, its row and its execution's arguments, result and error together, as stored
 */
public record SizedBatchItem(BatchItem item, long bytes) {}
