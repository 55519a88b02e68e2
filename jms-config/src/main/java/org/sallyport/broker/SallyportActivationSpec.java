package org.sallyport.broker;

import org.apache.activemq.artemis.ra.inflow.ActiveMQActivationSpec;

/**
 * How a message-driven bean of the application listens, unless it says otherwise: to a destination by its plain name,
 * one message fetched at a time, and connecting again for as long as the broker is away. In the destination, {@code
 * {incarnation}} stands for this life of the node.
 */
public final class SallyportActivationSpec extends ActiveMQActivationSpec {

    private static final long serialVersionUID = 1L;

    /** Called by the container, which then sets what the bean configures. */
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
     * Names the destination. Its placeholder is filled here and not by the container's configuration: that is read
     * before the adapter of an enterprise archive has started.
     */
    @Override
    public void setDestination(String destination) {
        super.setDestination(destination.replace("{incarnation}", NodeIncarnation.name()));
    }
}
