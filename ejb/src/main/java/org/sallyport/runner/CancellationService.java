package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.ControlBroadcaster;
import org.sallyport.messaging.ControlMessage;

/**
 * Ends executions on any node, by cancellation or at their deadline. Changes the row first, then notifies the runner.
 * Thread-safe.
 */
public final class CancellationService {
    private static final Logger LOG = System.getLogger(CancellationService.class.getName());
    private static final int BATCH_SIZE = 500;

    private final ExecutionStore store;
    private final ExecutionRunner runner;
    private final CompletionNotifier completions;
    private final ControlBroadcaster broadcaster;
    private final ToolEffectClassifier effects;

    /** @param catalog tells which calls without a reply may have had an effect */
    public CancellationService(
            ExecutionStore store,
            ExecutionRunner runner,
            CompletionNotifier completions,
            ToolCatalog catalog,
            ControlBroadcaster broadcaster) {
        this.store = store;
        this.runner = runner;
        this.completions = completions;
        this.broadcaster = broadcaster;
        this.effects = new ToolEffectClassifier(catalog);
    }

    /**
     * The answer to a cancel request.
     *
     * @param execution the execution that the request named, or the attempt after it that was cancelled
     */
    public record AttemptCancelResult(ExecutionId execution, CancelResult result) {}

    /**
     * Cancels an execution immediately if it is not running; otherwise requests cancellation, and the runner stops it
     * within two seconds. If the execution has failed and another attempt follows it, that attempt is cancelled.
     */
    public AttemptCancelResult cancel(String tenant, ExecutionId id, CancelRequest request) {
        AttemptCancelResult last = new AttemptCancelResult(id, cancelAttempt(tenant, id, request));
        Optional<ExecutionId> next = Optional.of(id);
        while (next.isPresent() && last.result() instanceof CancelResult.AlreadyTerminal) {
            next = store.find(tenant, next.get()).flatMap(Execution::nextAttempt);
            if (next.isPresent()) {
                CancelResult ofNext = cancelAttempt(tenant, next.get(), request);
                // The next attempt may have ended and be erased.
                last = ofNext instanceof CancelResult.CancelTargetNotFound
                        ? last
                        : new AttemptCancelResult(next.get(), ofNext);
            }
        }
        return last;
    }

    private CancelResult cancelAttempt(String tenant, ExecutionId id, CancelRequest request) {
        CancelResult cancellation = store.cancel(tenant, id, request, effects::changesBackend);
        if (cancellation instanceof CancelResult.CancelledImmediately done) {
            notifyEnded(id, done.hasOpenCalls());
        } else if (cancellation instanceof CancelResult.CancelRequested && !runner.cancel(id)) {
            broadcastCancel(id);
        }
        return cancellation;
    }

    /** Ends waiting executions whose deadline has passed. */
    public void endPastDeadline() {
        try {
            int ended = BATCH_SIZE;
            while (ended >= BATCH_SIZE) {
                List<ExecutionStore.ExpiredExecution> late = store.endPastDeadline(BATCH_SIZE, effects::changesBackend);
                for (ExecutionStore.ExpiredExecution each : late) {
                    notifyEnded(each.id(), each.hasOpenCalls());
                }
                ended = late.size();
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "executions past their deadlines cannot be ended: the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "executions past their deadlines could not be ended; the next poll tries again", e);
        }
    }

    private void notifyEnded(ExecutionId id, boolean calls) {
        completions.notifyEnded(id);
        if (calls && !runner.cancel(id)) {
            broadcastCancel(id);
        }
    }

    /** If the message is lost, the runner's sweeper finds the request in the database. */
    private void broadcastCancel(ExecutionId id) {
        broadcaster.broadcast(new ControlMessage.ExecutionCancelRequest(id));
    }
}
