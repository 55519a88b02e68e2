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
import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.Destinations;

/** Takes calls for the backends that the service hosts itself. */
@MessageDriven(
        name = "ConnectorListener",
        activationConfig = {
            @ActivationConfigProperty(propertyName = "resourceAdapter", propertyValue = Destinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = Destinations.JAVA_TOOLS),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Dups-ok-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ConnectorListener implements MessageListener {
    @Inject
    ConnectorHost host;

    @Override
    public void onMessage(Message message) {
        try {
            Requests.handle(message, host);
        } catch (BadMessageException | JMSException e) {
            System.getLogger(ConnectorListener.class.getName())
                    .log(Level.WARNING, "dropped a message that is no call: {0}", e.getMessage());
        }
    }
}
