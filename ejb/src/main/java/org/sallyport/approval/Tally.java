package org.sallyport.approval;

import java.util.Optional;
import org.sallyport.execution.PendingJob;

/** What became of a vote. */
public sealed interface Tally {

    /**
     * It decided.
     *
     * @param woken the execution, if it was parked and is to go on
     */
    record Decided(Approval approval, Optional<PendingJob> woken) implements Tally {}

    /** It counts; others must say yes too. */
    record Counted(Approval approval) implements Tally {}

    /** It came after the decision, or a second time, and changed nothing. */
    record TooLate(Approval approval) implements Tally {}

    /** The link that it came by has counted before; it changed nothing. */
    record LinkUsed() implements Tally {}

    /** The link that it came by is over, taken back, or another one's; it changed nothing. */
    record LinkOver() implements Tally {}

    /** Its execution has ended. */
    record Over(Approval approval) implements Tally {}

    /** There is no such approval. */
    record NotFound() implements Tally {}
}
