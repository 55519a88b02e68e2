package org.sallyport.broker;

import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.activemq.artemis.core.remoting.impl.ssl.DefaultSSLContextFactory;
import org.apache.activemq.artemis.spi.core.remoting.ssl.SSLContextConfig;
import org.apache.activemq.artemis.spi.core.remoting.ssl.SSLContextFactory;
import org.sallyport.tls.OutboundTls;

/**
 * What the broker's client encrypts each new connection with: what the files of the settings hold at the time, and otherwise what an
 * address says. The client finds it as a service, so there is one for all; the backup of a broker, which tells of it, is met with
 * the same.
 */
public final class BrokerTls implements SSLContextFactory {
    /** Artemis's own has 5. */
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
