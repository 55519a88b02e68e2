package org.sallyport.connector;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.util.Optional;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.tracecontext.TraceHeaders;

/** Decodes tool calls from JMS messages. */
final class ToolRequestReader {
    private ToolRequestReader() {}

    /**
     * Decodes a call and passes it to {@code host}, if there is memory for it; throws {@link MalformedMessageException}
     * if the message is not a call, after it has answered it if it names a reply queue.
     */
    static void readAndDispatch(Message message, ConnectorDispatcher host) throws JMSException {
        String correlation = message.getJMSCorrelationID();
        if (correlation == null || !(message.getJMSReplyTo() instanceof Queue replyTo)) {
            throw new MalformedMessageException("no correlation id or no reply queue");
        }
        String replyQueue = replyTo.getQueueName();
        String tenant = message.getStringProperty(OutgoingMessage.TENANT_PROPERTY);
        Optional<TraceHeaders> trace = TraceHeaders.of(
                message.getStringProperty(TraceHeaders.TRACEPARENT),
                message.getStringProperty(TraceHeaders.TRACESTATE));
        boolean redelivered = message.getJMSRedelivered();
        String body = message.getBody(String.class);
        if (body == null) {
            throw new MalformedMessageException("no text");
        }
        Optional<MemoryBudget.MemoryReservation> memory =
                host.memory().tryReserve(tenant == null ? "" : tenant, body.length());
        // A redelivered call is handled in any case, because it may have been made. There are only a few of them.
        if (memory.isEmpty() && !redelivered) {
            host.handBackWithoutMemory(correlation, replyQueue);
            return;
        }
        Runnable release = () -> memory.ifPresent(MemoryBudget.MemoryReservation::close);
        ToolRequestMessage request;
        try {
            request = ToolRequestMessage.decode(body).withTrace(trace);
        } catch (RuntimeException | Error e) {
            release.run();
            host.answerUndecodable(correlation, replyQueue, redelivered);
            throw e;
        }
        host.dispatch(request, correlation, replyQueue, redelivered, release);
    }
}
