package org.sallyport.submission;

import java.util.Iterator;
import java.util.Optional;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

/**
 * What a caller asks to have run together.
 *
 * @param items what is asked for, one after the other
 * @param atomic whether nothing is to run unless all can
 * @param maxParallel how many may be under way at one time
 * @param onFailure what a failure means for the others
 * @param idempotency the caller's key against double submission
 */
public record BatchRequest(
        BatchItemSource items,
        boolean atomic,
        Optional<Integer> maxParallel,
        BatchFailurePolicy onFailure,
        Optional<IdempotencyKey> idempotency) {

    /** The items, to be read as often as needed: they may be too many to be kept. */
    public interface BatchItemSource {

        /** How many there are. */
        int count();

        /** From the first. */
        Iterator<BatchRequestItem> read();

        /** How a caller is told why one of them was refused. */
        Json problem(SubmissionResult refusal);

        /** How a caller is told that nothing can be made of one of them. */
        Json problem(InvalidSubmissionException fault);
    }

    /** One of them. */
    public sealed interface BatchRequestItem {

        /** Of the right form. */
        record SubmissionItem(Submission submission) implements BatchRequestItem {}

        /** A script that was kept. */
        record SavedScriptItem(RunSavedScriptRequest call) implements BatchRequestItem {}

        /** What was published. */
        record CapabilityItem(RunCapabilityRequest call) implements BatchRequestItem {}

        /** Not of the right form; {@code problem} says why. */
        record UnreadableItem(Json problem) implements BatchRequestItem {}
    }
}
