package org.sallyport.messaging;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * A message to be sent. Never persistent, because the database holds the state.
 *
 * @param destination name of the queue or topic
 * @param topic whether the destination is a topic
 * @param body text of the message
 * @param correlationId header, or null
 * @param replyTo name of the reply queue, or null
 * @param priority JMS priority, 0 to 9
 * @param timeToLiveMillis milliseconds until the message expires, 0 for never
 * @param trace trace context of the message, if there is one
 * @param tenant the tenant of a tool call, which its receiver knows before it decodes the body
 */
public record OutgoingMessage(
        String destination,
        boolean topic,
        String body,
        @Nullable String correlationId,
        @Nullable String replyTo,
        int priority,
        long timeToLiveMillis,
        Optional<TraceHeaders> trace,
        Optional<String> tenant) {
    /** Name of the property with the tenant. */
    public static final String TENANT_PROPERTY = "sallyportTenant";

    private static final int DEFAULT_PRIORITY = 4;
    /** Above the priorities of all jobs: the two lowest job priorities share one JMS priority. */
    private static final int HIGHEST_PRIORITY = 9;

    /**
     * Creates a job for a runner.
     *
     * @param ahead whether the job precedes all others, regardless of their priorities
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
                Optional.empty(),
                Optional.empty());
    }

    /** Creates a broadcast to all nodes. It expires after a minute, because the sweepers find the same work. */
    public static OutgoingMessage control(ControlMessage message) {
        return new OutgoingMessage(
                JmsDestinations.CONTROL,
                true,
                message.encode(),
                null,
                null,
                9,
                60_000,
                Optional.empty(),
                Optional.empty());
    }

    /** Creates a command to the external connectors of a backend. */
    public static OutgoingMessage connectorCommand(String backend, ConnectorCommand order) {
        return new OutgoingMessage(
                JmsDestinations.externalCommands(backend),
                true,
                order.encode(),
                null,
                null,
                DEFAULT_PRIORITY,
                60_000,
                Optional.empty(),
                Optional.empty());
    }

    /** Creates a request that expects a reply, or a reply. */
    public static OutgoingMessage queue(
            String queue, String body, String correlationId, @Nullable String replyTo, long expiryMillis) {
        return new OutgoingMessage(
                queue,
                false,
                body,
                correlationId,
                replyTo,
                DEFAULT_PRIORITY,
                expiryMillis,
                Optional.empty(),
                Optional.empty());
    }

    /** Returns a copy with trace headers. */
    public OutgoingMessage withTrace(Optional<TraceHeaders> headers) {
        return new OutgoingMessage(
                destination, topic, body, correlationId, replyTo, priority, timeToLiveMillis, headers, tenant);
    }

    /** Returns a copy with the tenant of a tool call. */
    public OutgoingMessage withTenant(String caller) {
        return new OutgoingMessage(
                destination,
                topic,
                body,
                correlationId,
                replyTo,
                priority,
                timeToLiveMillis,
                trace,
                Optional.of(caller));
    }
}
