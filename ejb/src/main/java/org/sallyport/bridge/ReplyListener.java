package org.sallyport.bridge;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.lang.System.Logger.Level;
import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.Destinations;
import org.sallyport.messaging.ToolReplyMessage;

/** The one consumer of this node incarnation's replies. */
@MessageDriven(
        name = "ReplyListener",
        activationConfig = {
            @ActivationConfigProperty(propertyName = "resourceAdapter", propertyValue = Destinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = Destinations.REPLIES),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Dups-ok-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ReplyListener implements MessageListener {
    @Inject
    JmsToolBridge bridge;

    @Override
    public void onMessage(Message message) {
        try {
            String correlation = message.getJMSCorrelationID();
            if (correlation == null) {
                throw new BadMessageException("no correlation id");
            }
            String body = message.getBody(String.class);
            if (ToolReplyMessage.HANDED_BACK.equals(body)) {
                bridge.handedBack(correlation, false);
            } else if (ToolReplyMessage.HANDED_BACK_BEGUN.equals(body)) {
                bridge.handedBack(correlation, true);
            } else {
                bridge.replied(correlation, ToolReplyMessage.decode(body).reply());
            }
        } catch (BadMessageException | JMSException e) {
            bridge.noReply();
            System.getLogger(ReplyListener.class.getName())
                    .log(Level.WARNING, "dropped a message that is no reply: {0}", e.getMessage());
        }
    }
}
