package org.sallyport.broker;

import org.apache.activemq.artemis.ra.inflow.ActiveMQActivationSpec;

/**
 * How a message-driven bean of the application listens, unless it says otherwise: to a destination by its plain name,
 * one message fetched at a time, and connecting again for as long as the broker is away.
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
}
