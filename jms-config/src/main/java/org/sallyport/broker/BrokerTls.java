package org.sallyport.broker;

import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.activemq.artemis.core.remoting.impl.ssl.DefaultSSLContextFactory;
import org.apache.activemq.artemis.spi.core.remoting.ssl.SSLContextConfig;
import org.apache.activemq.artemis.spi.core.remoting.ssl.SSLContextFactory;
import org.sallyport.tls.OutboundTls;

/**
 * Creates the TLS context of each new broker connection, from the current files of the settings, else from the address.
 * Artemis finds it as a service, so there is one for the process; it also applies to the backup that a broker
 * announces.
 */
public final class BrokerTls implements SSLContextFactory {
    /** The factory of Artemis has 5. */
    private static final int PRIORITY = 100;

    private static volatile Optional<OutboundTls> configured = Optional.empty();

    private final SSLContextFactory fallback = new DefaultSSLContextFactory();

    /** Called by Artemis. */
    public BrokerTls() {}

    static void configure(Optional<OutboundTls> tls) {
        configured = tls;
    }

    @Override
    public SSLContext getSSLContext(SSLContextConfig configuration, Map<String, Object> connector) throws Exception {
        Optional<OutboundTls> tls = configured;
        return tls.isPresent() ? tls.get().context() : fallback.getSSLContext(configuration, connector);
    }

    @Override
    public int getPriority() {
        return PRIORITY;
    }
}
