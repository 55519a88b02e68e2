package org.sallyport.submission;

import java.util.Iterator;
import java.util.Optional;
import org.sallyport.batch.OnFailure;
import org.sallyport.execution.NewExecution.Idempotency;
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
        Items items,
        boolean atomic,
        Optional<Integer> maxParallel,
        OnFailure onFailure,
        Optional<Idempotency> idempotency) {

    /** The items, to be read as often as needed: they may be too many to be kept. */
    public interface Items {

        /** How many there are. */
        int count();

        /** From the first. */
        Iterator<Item> read();

        /** How a caller is told why one of them was refused. */
        Json problem(Receipt refusal);

        /** How a caller is told that nothing can be made of one of them. */
        Json problem(InvalidSubmissionException fault);
    }

    /** One of them. */
    public sealed interface Item {

        /** Of the right form. */
        record Wanted(Submission submission) implements Item {}

        /** A script that was kept. */
        record Kept(ScriptCall call) implements Item {}

        /** What was published. */
        record Published(CapabilityCall call) implements Item {}

        /** Not of the right form; {@code problem} says why. */
        record Unreadable(Json problem) implements Item {}
    }
}
