package org.sallyport.connector;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.lang.System.Logger.Level;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.MalformedMessageException;

/** Receives cancellations of tool calls. Runs on every node, since any node may have taken the call. */
@MessageDriven(
        name = "CallCancellationListener",
        activationConfig = {
            @ActivationConfigProperty(
                    propertyName = "resourceAdapter",
                    propertyValue = JmsDestinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Topic"),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = JmsDestinations.CONTROL),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Auto-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class CallCancellationListener implements MessageListener {
    @Inject
    ConnectorDispatcher dispatcher;

    @Override
    public void onMessage(Message message) {
        try {
            if (ControlMessage.decode(message.getBody(String.class))
                    instanceof ControlMessage.ToolCallCancelRequest withdraw) {
                dispatcher.cancel(withdraw.call());
            }
        } catch (MalformedMessageException | JMSException e) {
            System.getLogger(CallCancellationListener.class.getName())
                    .log(Level.WARNING, "dropped an invalid control message: {0}", e.getMessage());
        }
    }
}
