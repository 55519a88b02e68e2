package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import org.sallyport.cache.RecentEntries;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Releases executions that were claimed and could not be started, so that they start later, and fails those that could
 * not be started several times. Thread-safe.
 */
final class UnstartedClaims {
    private static final Logger LOG = System.getLogger(UnstartedClaims.class.getName());
    /** Number of failed starts at which an execution fails. */
    private static final int MAX_FAILED_STARTS = 3;

    private static final int MAX_REMEMBERED_EXECUTIONS = 1_000;

    private final EngineServices context;
    private final Consumer<ClaimedExecution> onEnded;
    /** Forgets the oldest entries: their executions may have started on other nodes. */
    private final RecentEntries<ExecutionId, Integer> failedStarts = new RecentEntries<>(MAX_REMEMBERED_EXECUTIONS);

    /** @param ended receives an execution that was failed */
    UnstartedClaims(EngineServices context, Consumer<ClaimedExecution> ended) {
        this.context = context;
        this.onEnded = ended;
    }

    /** Records that an execution has started. */
    void onStarted(ExecutionId id) {
        failedStarts.remove(id);
    }

    /**
     * Releases or fails an execution that could not be started. Writes at once and, while the store is unavailable,
     * again later.
     */
    void onStartFailed(ClaimedExecution claim, Throwable failure) {
        LOG.log(Level.ERROR, "execution " + claim.fence() + " was claimed and could not be started", failure);
        // The writer adds no entry for the claim: the first entry of a run says that its journal has begun.
        RunEndWriter writer = new RunEndWriter(claim, context, JournalBuffer.of(claim, context), context.executor());
        ExecutionId id = claim.fence().id();
        boolean fails = !(failure instanceof StoreUnavailableException)
                && failedStarts.update(id, (key, count) -> count == null ? 1 : count + 1) >= MAX_FAILED_STARTS;
        if (fails) {
            failedStarts.remove(id);
            fail(claim, writer);
        } else {
            writer.release(
                    result -> LOG.log(Level.INFO, "execution {0} is released: {1}", claim.fence(), result),
                    () -> fail(claim, writer));
        }
    }

    private void fail(ClaimedExecution claim, RunEndWriter writer) {
        writer.finish(OutcomeMapper.failed(ErrorCode.INTERNAL_ERROR, "the script could not be started"), ended -> {
            if (ended) {
                onEnded.accept(claim);
            }
        });
    }
}
