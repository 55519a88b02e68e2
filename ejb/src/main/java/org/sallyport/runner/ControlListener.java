package org.sallyport.runner;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.lang.System.Logger.Level;
import org.sallyport.event.EventBus;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.MalformedMessageException;

/**
 * Receives control messages, which go to all nodes, and applies those that concern this node. Drops malformed messages.
 */
@MessageDriven(
        name = "ControlListener",
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
public class ControlListener implements MessageListener {
    @Inject
    ExecutionRunner runner;

    @Inject
    EventBus events;

    @Override
    public void onMessage(Message message) {
        try {
            ControlMessage order = ControlMessage.decode(message.getBody(String.class));
            if (order instanceof ControlMessage.ExecutionCancelRequest cancel) {
                runner.cancel(cancel.execution());
            } else if (order instanceof ControlMessage.EventStored emitted) {
                events.onStored(emitted.tenant(), emitted.name());
            }
        } catch (MalformedMessageException | JMSException e) {
            System.getLogger(ControlListener.class.getName())
                    .log(Level.WARNING, "dropped an invalid control message: {0}", e.getMessage());
        }
    }
}
