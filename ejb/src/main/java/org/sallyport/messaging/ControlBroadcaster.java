package org.sallyport.messaging;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Broadcasts control messages to all nodes without waiting for the broker. Best effort: a message that is lost is
 * logged, and the polls of the nodes find later what it would have told them. Thread-safe.
 */
public final class ControlBroadcaster {
    private static final System.Logger LOG = System.getLogger(ControlBroadcaster.class.getName());

    private final MessageSender sender;
    private final Executor executor;

    /** @param executor runs sends to the broker, which may block; may reject them */
    public ControlBroadcaster(MessageSender sender, Executor executor) {
        this.sender = sender;
        this.executor = executor;
    }

    /** Broadcasts {@code message}. Returns immediately. */
    public void broadcast(ControlMessage message) {
        try {
            executor.execute(() -> send(message));
        } catch (RejectedExecutionException e) {
            logLost(message, e);
        }
    }

    private void send(ControlMessage message) {
        try {
            sender.send(OutgoingMessage.control(message));
        } catch (BrokerUnavailableException e) {
            logLost(message, e);
        }
    }

    private static void logLost(ControlMessage message, RuntimeException failure) {
        LOG.log(Level.DEBUG, message + " was not broadcast; the nodes find it at their next poll", failure);
    }
}
