package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.PendingJob;

/** Ends executions whose job could not be delivered, with what is known of the reason. Thread-safe. */
public final class DeadLetters {
    private static final Logger LOG = System.getLogger(DeadLetters.class.getName());
    private static final int REMEMBERED = 1_000;

    private final ExecutionStore store;
    private final Completions completions;
    private final Map<ExecutionId, String> reasons = new LinkedHashMap<>();

    public DeadLetters(ExecutionStore store, Completions completions) {
        this.store = store;
        this.completions = completions;
    }

    /** A delivery failed here; the broker tries again, or gives up. */
    void failed(ExecutionId id, RuntimeException reason) {
        LOG.log(Level.ERROR, "the job of execution " + id + " could not be taken", reason);
        synchronized (reasons) {
            reasons.put(id, reason.toString());
            if (reasons.size() > REMEMBERED) {
                var oldest = reasons.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    /**
     * The broker has given {@code job} up. Its execution fails, unless it was taken or ended by way of another message.
     * Throws {@link org.sallyport.execution.StoreUnavailableException}, and then the broker is to try again.
     */
    void end(PendingJob job) {
        String reason;
        synchronized (reasons) {
            reason = reasons.remove(job.id());
        }
        String message = "the execution's job was delivered to runners again and again and none could take it"
                + (reason == null ? "; their logs say why" : ": " + reason);
        if (store.failPending(new Fence(job.id(), job.attempt()), ExecutionError.of(ErrorCode.DEAD_LETTER, message))) {
            LOG.log(Level.WARNING, "execution {0} has failed: {1}", job.id(), message);
            completions.ended(job.id());
        }
    }
}
