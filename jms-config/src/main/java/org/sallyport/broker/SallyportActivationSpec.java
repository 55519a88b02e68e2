package org.sallyport.broker;

import org.apache.activemq.artemis.ra.inflow.ActiveMQActivationSpec;

/**
 * Defaults of the application's message-driven beans: a destination by its plain name, no message in advance, and
 * reconnection for as long as the broker is unavailable. The destination may contain {@code {incarnation}}, which
 * stands for the node's incarnation.
 */
public final class SallyportActivationSpec extends ActiveMQActivationSpec {

    private static final long serialVersionUID = 1L;

    /** Called by the container, which then sets the properties of the bean. */
    public SallyportActivationSpec() {
        setUseJNDI(false);
        setDestinationType("jakarta.jms.Queue");
        setConsumerWindowSize(0);
        setReconnectAttempts(-1);
        setSetupAttempts(-1);
        setSetupInterval(1_000L);
        setRebalanceConnections(false);
    }

    /**
     * Sets the destination. The placeholder is replaced here, because the container reads its configuration before the
     * resource adapter of an enterprise archive starts.
     */
    @Override
    public void setDestination(String destination) {
        super.setDestination(destination.replace("{incarnation}", NodeIncarnation.name()));
    }
}
