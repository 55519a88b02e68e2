package org.sallyport.runner;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;

/**
 * Broadcasts to all nodes that an event was stored. Best effort: if the message is lost, the sweepers pick the event up
 * on their next poll. Thread-safe.
 */
public final class EventBroadcaster {
    private static final System.Logger LOG = System.getLogger(EventBroadcaster.class.getName());

    private final MessageSender sender;
    private final Executor executor;

    /** @param executor runs sends to the broker, which may block */
    public EventBroadcaster(MessageSender sender, Executor executor) {
        this.sender = sender;
        this.executor = executor;
    }

    /** Broadcasts that an event called {@code name} of {@code tenant} was stored. Returns immediately. */
    public void broadcast(String tenant, String name) {
        try {
            executor.execute(() -> send(tenant, name));
        } catch (RejectedExecutionException closing) {
            LOG.log(System.Logger.Level.DEBUG, "an event was not broadcast; the sweepers find it", closing);
        }
    }

    private void send(String tenant, String name) {
        try {
            sender.send(OutgoingMessage.control(new ControlMessage.EventStored(tenant, name)));
        } catch (BrokerUnavailableException e) {
            LOG.log(System.Logger.Level.DEBUG, "an event was not broadcast; the sweepers find it", e);
        }
    }
}
