package org.sallyport.connector;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.tracecontext.TraceHeaders;

/** Decodes tool calls from JMS messages. */
final class ToolRequestReader {
    private ToolRequestReader() {}

    /**
     * Decodes a call and passes it to {@code host}; throws {@link MalformedMessageException} if the message is not a
     * call.
     */
    static void readAndDispatch(Message message, ConnectorDispatcher host) throws JMSException {
        String correlation = message.getJMSCorrelationID();
        if (correlation == null || !(message.getJMSReplyTo() instanceof Queue replyTo)) {
            throw new MalformedMessageException("no correlation id or no reply queue");
        }
        host.dispatch(
                ToolRequestMessage.decode(message.getBody(String.class))
                        .withTrace(TraceHeaders.of(
                                message.getStringProperty(TraceHeaders.TRACEPARENT),
                                message.getStringProperty(TraceHeaders.TRACESTATE))),
                correlation,
                replyTo.getQueueName(),
                message.getJMSRedelivered());
    }
}
