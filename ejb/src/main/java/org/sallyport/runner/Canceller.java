package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.Executor;
import org.sallyport.catalog.Catalog;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.ToolName;

/** Ends executions for others on whatever node they are, cancelled or too late: the row first, then the word to its runner. Thread-safe. */
public final class Canceller {
    private static final Logger LOG = System.getLogger(Canceller.class.getName());
    private static final int AT_ONCE = 500;

    private final ExecutionStore store;
    private final Runner runner;
    private final Completions completions;
    private final MessageSender sender;
    private final Executor executor;
    private final Catalog catalog;

    /**
     * @param catalog says which calls may have changed something although nobody heard their answers
     * @param executor sends to the broker, which may take its time
     */
    public Canceller(
            ExecutionStore store,
            Runner runner,
            Completions completions,
            Catalog catalog,
            MessageSender sender,
            Executor executor) {
        this.store = store;
        this.runner = runner;
        this.completions = completions;
        this.sender = sender;
        this.executor = executor;
        this.catalog = catalog;
    }

    /** Cancels what does not run; has what runs stopped within two seconds. */
    public Cancellation cancel(String tenant, ExecutionId id) {
        Cancellation cancellation = store.cancel(tenant, id, this::mayChange);
        if (cancellation instanceof Cancellation.Done done) {
            over(id, done.calls());
        } else if (cancellation instanceof Cancellation.Requested && !runner.cancel(id)) {
            executor.execute(() -> tellAll(id));
        }
        return cancellation;
    }

    /** Ends what waits past its deadline. */
    public void endLate() {
        try {
            int ended = AT_ONCE;
            while (ended >= AT_ONCE) {
                List<ExecutionStore.Late> late = store.endLate(AT_ONCE, this::mayChange);
                for (ExecutionStore.Late each : late) {
                    over(each.id(), each.calls());
                }
                ended = late.size();
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "executions past their deadlines cannot be ended now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "executions past their deadlines could not be ended; the next look tries again", e);
        }
    }

    private void over(ExecutionId id, boolean calls) {
        completions.ended(id);
        if (calls && !runner.cancel(id)) {
            executor.execute(() -> tellAll(id));
        }
    }

    private boolean mayChange(ToolName tool) {
        return !tool.backend().equals(HostServices.BACKEND)
                && catalog.find(tool)
                        .map(known -> !known.spec().hints().readOnly())
                        .orElse(true);
    }

    private void tellAll(ExecutionId id) {
        try {
            sender.send(OutgoingMessage.control(new ControlMessage.Cancel(id)));
        } catch (BrokerUnavailableException e) {
            // The runner's sweeper finds the request in the database.
            LOG.log(Level.DEBUG, "cancelling " + id, e);
        }
    }
}
