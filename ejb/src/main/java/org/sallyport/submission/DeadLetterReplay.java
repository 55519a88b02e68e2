package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;

/**
 * Has done again what no runner could take: by a re-run that goes on where the recording of the execution ends, nearly always at
 * its beginning. Thread-safe.
 */
public final class DeadLetterReplay {
    private static final Logger LOG = System.getLogger(DeadLetterReplay.class.getName());

    private final DeadLetterStore deadLetters;
    private final Journal journal;
    private final RerunService reruns;

    public DeadLetterReplay(DeadLetterStore letters, Journal journal, RerunService reruns) {
        this.deadLetters = letters;
        this.journal = journal;
        this.reruns = reruns;
    }

    /** As {@link RerunService#submit}; {@link SubmissionResult.OriginalExecutionNotFound} when {@code id} is no dead letter of the caller's tenant. */
    public CompletionStage<SubmissionResult> submit(
            Caller caller, ExecutionId id, Optional<IdempotencyKey> idempotency) {
        if (deadLetters.find(caller.tenant(), id).isEmpty()) {
            return CompletableFuture.completedFuture(new SubmissionResult.OriginalExecutionNotFound());
        }
        RerunRequest request = new RerunRequest(
                RerunOrigin.RerunMode.FROM,
                lastCall(id) + 1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                RequestedLimits.NONE,
                Optional.empty(),
                Optional.empty(),
                DebugMode.NONE,
                Optional.empty(),
                idempotency,
                false);
        return reruns.submit(caller, id, request).thenApply(receipt -> {
            if (receipt instanceof SubmissionResult.SubmissionAccepted accepted) {
                recordReplay(id, accepted.id());
            }
            return receipt;
        });
    }

    /** How many calls it had made: a run before may have been lost with its node. What was left open is not repeated blindly. */
    private long lastCall(ExecutionId id) {
        return journal.readEntries(id).stream()
                .filter(TraceEvent.ToolStarted.class::isInstance)
                .mapToLong(event -> ((TraceEvent.ToolStarted) event).call())
                .max()
                .orElse(0);
    }

    /** For people to see; the execution is accepted whether it can be noted or not. */
    private void recordReplay(ExecutionId id, ExecutionId as) {
        try {
            deadLetters.markRedelivered(id, as);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "that {0} is replayed as {1} could not be noted: {2}", id, as, e.getMessage());
        }
    }
}
