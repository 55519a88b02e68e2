package org.sallyport.broker;

import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapterInternalException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnectorFactory;
import org.apache.activemq.artemis.ra.ActiveMQResourceAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Connects the application to its broker. Starts the embedded broker, unless an external one is configured; so the
 * broker starts before the first listener and stops after the last. Also names the node's incarnation in the system
 * property {@code sallyport.node.incarnation}.
 */
public final class SallyportResourceAdapter extends ActiveMQResourceAdapter {

    private static final long serialVersionUID = 1L;

    private static final Logger LOG = System.getLogger(SallyportResourceAdapter.class.getName());

    private transient @Nullable EmbeddedBroker broker;

    /** Called by the container. */
    public SallyportResourceAdapter() {}

    /**
     * Starts the broker or prepares connections to the external one.
     *
     * @throws ResourceAdapterInternalException if the settings contradict each other or the broker cannot start
     */
    @Override
    public void start(BootstrapContext context) throws ResourceAdapterInternalException {
        BrokerLogConfig.apply();
        NodeIncarnation.name();
        // Listeners share this pool. With the default of eight threads per core, blocked listeners would starve the
        // others.
        ActiveMQClient.setGlobalThreadPoolProperties(600, 5, 10);
        try {
            BrokerSettings settings = BrokerSettings.fromProcess();
            LOG.log(Level.INFO, "Message broker: {0}", settings);
            if (settings.isEmbedded()) {
                startEmbedded(settings);
            } else {
                BrokerTls.configure(settings.tls());
                BrokerUrl connection = BrokerUrl.of(settings);
                BrokerConnectionCheck.check(connection);
                connection.configure(this);
            }
            limitConnectTime();
        } catch (Exception e) {
            throw new ResourceAdapterInternalException("The message broker cannot start: " + e.getMessage(), e);
        }
        super.start(context);
    }

    @Override
    public void stop() {
        super.stop();
        BrokerTls.configure(Optional.empty());
        EmbeddedBroker running = broker;
        broker = null;
        if (running != null) {
            unregisterAccounts();
            try {
                running.close();
            } catch (Exception e) {
                LOG.log(Level.WARNING, "The message broker did not stop cleanly", e);
            }
        }
    }

    private void startEmbedded(BrokerSettings settings) throws Exception {
        Map<String, String> accounts = new HashMap<>();
        settings.user().ifPresent(user -> accounts.put(user, settings.password().orElse("")));
        String self = "node-" + UUID.randomUUID();
        String secret = UUID.randomUUID().toString();
        accounts.put(self, secret);
        BrokerSecurityManager known = new BrokerSecurityManager(accounts);
        Configuration configuration = BrokerConfiguration.embedded(settings);
        if (settings.connectorAcceptor().isPresent()) {
            BrokerConfiguration.registerConnectorPlugins(configuration, known);
        }
        broker = EmbeddedBroker.start(configuration, settings.dataDirectory(), known);
        if (settings.connectorAcceptor().isPresent()) {
            ManagementFactory.getPlatformMBeanServer().registerMBean(known, accountsObjectName());
        }
        setConnectorClassName(InVMConnectorFactory.class.getName());
        setConnectionParameters("serverId=0");
        setUserName(self);
        setPassword(secret);
    }

    private static ObjectName accountsObjectName() {
        try {
            return new ObjectName(ConnectorAccountsMXBean.NAME);
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void unregisterAccounts() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            if (server.isRegistered(accountsObjectName())) {
                server.unregisterMBean(accountsObjectName());
            }
        } catch (JMException e) {
            LOG.log(Level.DEBUG, "The MBean of the connectors' accounts could not be unregistered", e);
        }
    }

    /** A sender must fail soon when the broker is unavailable; listeners override this and wait for its return. */
    private void limitConnectTime() {
        setCallTimeout(3_000L);
        setCallFailoverTimeout(3_000L);
        setInitialConnectAttempts(1);
        setReconnectAttempts(2);
        setRetryInterval(200L);
        setUseTopologyForLoadBalancing(false);
    }
}
