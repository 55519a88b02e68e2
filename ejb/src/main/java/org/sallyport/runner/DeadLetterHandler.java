package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;

/** Fails executions whose job could not be delivered, with the reason if this node knows it. Thread-safe. */
public final class DeadLetterHandler {
    private static final Logger LOG = System.getLogger(DeadLetterHandler.class.getName());
    private static final int MAX_REASONS = 1_000;

    private final ExecutionStore store;
    private final CompletionNotifier completions;
    private final Map<ExecutionId, String> reasons = new LinkedHashMap<>();

    public DeadLetterHandler(ExecutionStore store, CompletionNotifier completions) {
        this.store = store;
        this.completions = completions;
    }

    /** Records that a delivery failed on this node. The broker redelivers the job or gives it up. */
    void recordFailure(ExecutionId id, RuntimeException reason) {
        LOG.log(Level.ERROR, "the job of execution " + id + " failed; the broker redelivers it or gives it up", reason);
        synchronized (reasons) {
            reasons.put(id, reason.toString());
            if (reasons.size() > MAX_REASONS) {
                var oldest = reasons.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    /**
     * Fails the execution of a job that the broker has given up, unless the execution was claimed or ended through
     * another message.
     *
     * @throws org.sallyport.execution.StoreUnavailableException if the store is unavailable; the broker must then
     *     redeliver
     */
    void failExecution(ExecutionJob job) {
        String reason;
        synchronized (reasons) {
            reason = reasons.remove(job.id());
        }
        String message = "the execution's job was delivered several times and no node could run it"
                + (reason == null ? "; see the logs of the nodes" : ": " + reason);
        if (store.failPending(
                new FencingToken(job.id(), job.attempt()), ExecutionError.of(ErrorCode.DEAD_LETTER, message))) {
            LOG.log(Level.WARNING, "execution {0} has failed: {1}", job.id(), message);
            completions.notifyEnded(job.id());
        }
    }
}
