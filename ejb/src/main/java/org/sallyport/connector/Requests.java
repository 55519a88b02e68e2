package org.sallyport.connector;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.tracecontext.TraceHeaders;

/** Reads calls out of messages. */
final class Requests {
    private Requests() {}

    /** Gives a call to {@code host}; {@link BadMessageException} when the message is none. */
    static void handle(Message message, ConnectorHost host) throws JMSException {
        String correlation = message.getJMSCorrelationID();
        if (correlation == null || !(message.getJMSReplyTo() instanceof Queue replyTo)) {
            throw new BadMessageException("no correlation id or no queue to answer to");
        }
        host.handle(
                ToolRequestMessage.decode(message.getBody(String.class))
                        .in(TraceHeaders.of(
                                message.getStringProperty(TraceHeaders.TRACEPARENT),
                                message.getStringProperty(TraceHeaders.TRACESTATE))),
                correlation,
                replyTo.getQueueName(),
                message.getJMSRedelivered());
    }
}
