package org.sallyport.broker;

import java.nio.file.Path;
import java.util.UUID;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.FileDeploymentManager;
import org.apache.activemq.artemis.core.config.impl.FileConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;

/**
 * The configuration of embedded and external brokers, from one {@code broker.xml}: the same destinations, redelivery
 * and limits. Only the acceptors differ.
 */
final class BrokerConfiguration {

    static final String RESOURCE = "org/sallyport/broker/broker.xml";

    private BrokerConfiguration() {}

    /** Returns the unchanged {@code broker.xml}, for an external broker. */
    static Configuration external() throws Exception {
        var configuration = new FileConfiguration();
        new FileDeploymentManager(RESOURCE).addDeployable(configuration).readConfiguration();
        // This account may do everything and its default password is public. The service does not use it.
        configuration.setClusterUser(UUID.randomUUID().toString());
        configuration.setClusterPassword(UUID.randomUUID().toString());
        return configuration;
    }

    /**
     * Returns the configuration of the embedded broker: reachable inside this JVM, and through an acceptor only if the
     * settings define one.
     */
    static Configuration embedded(BrokerSettings settings) throws Exception {
        Configuration configuration = external();
        configuration.clearAcceptorConfigurations();
        configuration.addAcceptorConfiguration(new TransportConfiguration(InVMAcceptorFactory.class.getName()));
        if (settings.acceptor().isPresent()) {
            configuration.addAcceptorConfiguration(
                    "sallyport", settings.acceptor().get());
        }
        settings.connectorAcceptor()
                .ifPresent(acceptor -> configuration.addAcceptorConfiguration(acceptor.toTransportConfiguration()));
        configuration.setSecurityEnabled(settings.isReachable());
        return configuration;
    }

    /**
     * Registers the plugins that control connectors in other processes. The caller omits them if no such connectors are
     * configured, because the plugins examine each message.
     */
    static void registerConnectorPlugins(Configuration configuration, BrokerSecurityManager accounts) {
        configuration.registerBrokerPlugin(new ConnectorLimitsPlugin(accounts));
        configuration.registerBrokerPlugin(new SingleDeliveryPlugin());
    }

    static void setDataDirectory(Path data, Configuration configuration) {
        Path root = data.toAbsolutePath().normalize();
        configuration.setJournalDirectory(root.resolve("journal").toString());
        configuration.setBindingsDirectory(root.resolve("bindings").toString());
        configuration.setPagingDirectory(root.resolve("paging").toString());
        configuration.setLargeMessagesDirectory(root.resolve("large").toString());
    }
}
