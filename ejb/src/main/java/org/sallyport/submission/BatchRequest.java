package org.sallyport.submission;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

/**
 * A request to run a batch of executions.
 *
 * @param items the items in their order
 * @param capability the capability that the batch names for all its items, with the version that it has resolved to
 * @param columns names of the columns of its rows; empty if its items are not rows
 * @param atomic whether the batch is refused as a whole when one item is refused
 * @param coalesce whether equal runs of capabilities that can only read run once
 * @param maxParallel how many executions of the batch may be under way at the same time; when empty, a batch that stops
 *     on failure gets the default and any other batch has no bound
 * @param onFailure how a failed execution affects the others
 * @param idempotency the client's key against double submission
 */
public record BatchRequest(
        BatchItemSource items,
        Optional<CapabilityRef> capability,
        List<String> columns,
        boolean atomic,
        boolean coalesce,
        Optional<Integer> maxParallel,
        BatchFailurePolicy onFailure,
        Optional<IdempotencyKey> idempotency) {

    public BatchRequest {
        columns = List.copyOf(columns);
    }

    /** Source of the items. It can be read repeatedly, because a batch may be too large to be kept in memory. */
    public interface BatchItemSource {

        /** Returns the number of items. */
        int count();

        /** Returns a new iterator that starts at the first item. */
        Iterator<BatchRequestEntry> read();

        /** Returns the problem document for the refused item at {@code index}. */
        Json problem(int index, SubmissionResult refusal);

        /** Returns the problem document for the item at {@code index}, of which no submission can be made. */
        Json problem(int index, InvalidSubmissionException exception);
    }

    /**
     * One item of a batch with its row.
     *
     * @param item the item
     * @param row the row of which the item was made, as it was sent; empty if the batch has no rows
     */
    public record BatchRequestEntry(BatchRequestItem item, Optional<Json> row) {}

    /** One item of a batch. */
    public sealed interface BatchRequestItem {

        /** A well-formed submission. */
        record SubmissionItem(Submission submission) implements BatchRequestItem {}

        /** A run of a saved script. */
        record SavedScriptItem(RunSavedScriptRequest call) implements BatchRequestItem {}

        /** A run of a published capability. */
        record CapabilityItem(RunCapabilityRequest call) implements BatchRequestItem {}

        /** A malformed item; {@code problem} gives the reason. */
        record UnreadableItem(Json problem) implements BatchRequestItem {}
    }
}
