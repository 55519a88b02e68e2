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
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.MalformedMessageException;

/** Receives the calls for backends that the service hosts itself. */
@MessageDriven(
        name = "ToolRequestListener",
        activationConfig = {
            @ActivationConfigProperty(
                    propertyName = "resourceAdapter",
                    propertyValue = JmsDestinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = JmsDestinations.JAVA_TOOLS),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Dups-ok-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ToolRequestListener implements MessageListener {
    @Inject
    ConnectorDispatcher dispatcher;

    @Override
    public void onMessage(Message message) {
        try {
            ToolRequestReader.readAndDispatch(message, dispatcher);
        } catch (MalformedMessageException | JMSException e) {
            System.getLogger(ToolRequestListener.class.getName())
                    .log(Level.WARNING, "dropped an invalid call message: {0}", e.getMessage());
        }
    }
}
