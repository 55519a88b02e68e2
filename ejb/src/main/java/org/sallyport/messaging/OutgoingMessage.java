package org.sallyport.messaging;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * A message about to be sent; never persistent, because the database is the truth.
 *
 * @param destination its name
 * @param topic whether it is a topic
 * @param body the text
 * @param correlationId header, or null
 * @param replyTo name of the queue to answer to, or null
 * @param priority 0 to 9
 * @param timeToLiveMillis how long it is worth anything, 0 for ever
 * @param trace in which trace it is sent, if there is one
 */
public record OutgoingMessage(
        String destination,
        boolean topic,
        String body,
        @Nullable String correlationId,
        @Nullable String replyTo,
        int priority,
        long timeToLiveMillis,
        Optional<TraceHeaders> trace) {
    private static final int DEFAULT_PRIORITY = 4;
    /** Above all priorities of jobs, of which the two lowest are one here. */
    private static final int HIGHEST_PRIORITY = 9;

    /**
     * A job for a runner.
     *
     * @param ahead whether it goes before all others, whatever their priorities
     */
    public static OutgoingMessage job(JobMessage message, boolean ahead) {
        return new OutgoingMessage(
                JmsDestinations.JOBS,
                false,
                message.encode(),
                null,
                null,
                ahead ? HIGHEST_PRIORITY : Math.max(0, message.job().priority() - 1),
                0,
                Optional.empty());
    }

    /** An order to all nodes, worth nothing after a while because the sweepers find the same. */
    public static OutgoingMessage control(ControlMessage message) {
        return new OutgoingMessage(
                JmsDestinations.CONTROL, true, message.encode(), null, null, 9, 60_000, Optional.empty());
    }

    /** An order to the connectors of a backend that run elsewhere. */
    public static OutgoingMessage connectorCommand(String backend, ConnectorCommand order) {
        return new OutgoingMessage(
                JmsDestinations.externalCommands(backend),
                true,
                order.encode(),
                null,
                null,
                DEFAULT_PRIORITY,
                60_000,
                Optional.empty());
    }

    /** A message with an answer to come, or an answer. */
    public static OutgoingMessage queue(
            String queue, String body, String correlationId, @Nullable String replyTo, long expiryMillis) {
        return new OutgoingMessage(
                queue, false, body, correlationId, replyTo, DEFAULT_PRIORITY, expiryMillis, Optional.empty());
    }

    /** The same in a trace. */
    public OutgoingMessage withTrace(Optional<TraceHeaders> headers) {
        return new OutgoingMessage(
                destination, topic, body, correlationId, replyTo, priority, timeToLiveMillis, headers);
    }
}
