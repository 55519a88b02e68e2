package org.sallyport.runner;

import java.lang.System.Logger;
import java.util.concurrent.Executor;
import org.sallyport.catalog.Catalog;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.ToolName;

/** Cancels executions on whatever node they run: the row first, then the word to its runner. Thread-safe. */
public final class Canceller {
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
            completions.ended(id);
            if (done.calls() && !runner.cancel(id)) {
                executor.execute(() -> tellAll(id));
            }
        } else if (cancellation instanceof Cancellation.Requested && !runner.cancel(id)) {
            executor.execute(() -> tellAll(id));
        }
        return cancellation;
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
            System.getLogger(Canceller.class.getName()).log(Logger.Level.DEBUG, "cancelling " + id, e);
        }
    }
}
