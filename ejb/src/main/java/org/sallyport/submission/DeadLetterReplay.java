package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Journal;

/**
 * Redelivers dead letters: submits a re-run that continues after the journaled calls of the dead execution. In nearly
 * all cases there are none, and the re-run starts at the beginning. Thread-safe.
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

    /**
     * Behaves like {@link RerunService#submit}; returns {@link SubmissionResult.OriginalExecutionNotFound} when
     * {@code id} is not a dead letter of the caller's tenant.
     */
    public CompletionStage<SubmissionResult> submit(
            Caller caller, ExecutionId id, Optional<IdempotencyKey> idempotency) {
        if (deadLetters.find(caller.tenant(), id).isEmpty()) {
            return CompletableFuture.completedFuture(new SubmissionResult.OriginalExecutionNotFound());
        }
        RerunRequest request = new RerunRequest(
                RerunOrigin.RerunMode.FROM,
                // An earlier attempt may have been lost with its node; its calls are not repeated blindly, not even
                // those without an answer.
                journal.findLastCall(id) + 1,
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

    /** The mark is informational: the re-run is accepted even if the mark cannot be stored. */
    private void recordReplay(ExecutionId id, ExecutionId as) {
        try {
            deadLetters.markRedelivered(id, as);
        } catch (StoreUnavailableException e) {
            LOG.log(
                    Level.WARNING,
                    "the redelivery of execution {0} as {1} could not be recorded: {2}",
                    id,
                    as,
                    e.getMessage());
        }
    }
}
