package org.sallyport.runner;

import java.util.concurrent.ScheduledFuture;
import org.sallyport.execution.ClaimedExecution;

/**
 * The parts of a run that exist once its execution is claimed.
 *
 * @param claim the claim
 * @param leaseOwner the lease owner of this node
 * @param canPark whether the run may be parked
 * @param entries the journal entries that are not written yet
 * @param calls the calls of the script
 * @param writer writes the entries of the running script
 * @param endWriter writes the end of the run
 * @param output receives the output of the script
 * @param deadline stops the script when its time is over
 */
record StartedRun(
        ClaimedExecution claim,
        String leaseOwner,
        boolean canPark,
        JournalBuffer entries,
        PendingCalls calls,
        JournalWriter writer,
        RunEndWriter endWriter,
        RunOutput output,
        ScheduledFuture<?> deadline) {}
