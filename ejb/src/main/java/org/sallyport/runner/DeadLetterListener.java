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
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.JobMessage;
import org.sallyport.messaging.MalformedMessageException;

/** Receives the jobs that the broker has given up. Other dead letters stay in the queue for operators. */
@MessageDriven(
        name = "DeadLetterListener",
        activationConfig = {
            @ActivationConfigProperty(
                    propertyName = "resourceAdapter",
                    propertyValue = JmsDestinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = JmsDestinations.DEAD_LETTERS),
            @ActivationConfigProperty(
                    propertyName = "messageSelector",
                    propertyValue = JmsDestinations.DEAD_JOB_SELECTOR),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Auto-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class DeadLetterListener implements MessageListener {
    @Inject
    DeadLetterHandler deadLetters;

    @Override
    public void onMessage(Message message) {
        try {
            deadLetters.failExecution(
                    JobMessage.decode(message.getBody(String.class)).job());
        } catch (MalformedMessageException | JMSException e) {
            System.getLogger(DeadLetterListener.class.getName())
                    .log(Level.WARNING, "dropped an invalid dead-letter message: {0}", e.getMessage());
        }
    }
}
