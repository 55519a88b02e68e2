package org.sallyport.bridge;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.ToolReplyMessage;

/**
 * Consumes the replies to this node incarnation. Counts and drops messages that are not valid replies, and does not
 * decode those that no call waits for. No other node reads this queue, so that the broker may send some small replies
 * in advance: asking for each reply would take two messages to the broker.
 */
@MessageDriven(
        name = "ToolReplyListener",
        activationConfig = {
            @ActivationConfigProperty(
                    propertyName = "resourceAdapter",
                    propertyValue = JmsDestinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = JmsDestinations.REPLY_QUEUE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "consumerWindowSize", propertyValue = "16384"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Dups-ok-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ToolReplyListener implements MessageListener {
    @Inject
    JmsToolBridge bridge;

    @Inject
    ToolReplyReceiver receiver;

    @Override
    public void onMessage(Message message) {
        try {
            String correlation = message.getJMSCorrelationID();
            if (correlation == null) {
                throw new MalformedMessageException("no correlation id");
            }
            String body = message.getBody(String.class);
            if (body == null) {
                throw new MalformedMessageException("no text");
            } else if (ToolReplyMessage.HANDED_BACK.equals(body)) {
                bridge.onHandedBack(correlation, false);
            } else if (ToolReplyMessage.HANDED_BACK_STARTED.equals(body)) {
                bridge.onHandedBack(correlation, true);
            } else if (ToolReplyMessage.HANDED_BACK_WITHOUT_MEMORY.equals(body)) {
                bridge.onHandedBackWithoutMemory(correlation);
            } else {
                receiver.receive(correlation, body);
            }
        } catch (MalformedMessageException | JMSException e) {
            receiver.dropInvalid(e);
        }
    }
}
