package org.sallyport.broker;

import java.nio.file.Path;
import java.util.UUID;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.FileDeploymentManager;
import org.apache.activemq.artemis.core.config.impl.FileConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;

/**
 * The one broker configuration, {@code broker.xml}, as the embedded and as an external broker use it: the same
 * destinations, redelivery and limits, only the way in differs.
 */
final class BrokerConfiguration {

    static final String RESOURCE = "org/sallyport/broker/broker.xml";

    private BrokerConfiguration() {}

    /** {@code broker.xml} as it stands: what an external broker runs. */
    static Configuration external() throws Exception {
        var configuration = new FileConfiguration();
        new FileDeploymentManager(RESOURCE).addDeployable(configuration).readConfiguration();
        // Every Artemis lets this account do everything, and its password is in the manual: nobody here needs it.
        configuration.setClusterUser(UUID.randomUUID().toString());
        configuration.setClusterPassword(UUID.randomUUID().toString());
        return configuration;
    }

    /** The embedded broker's: reachable inside this JVM, and through an acceptor only if the settings name one. */
    static Configuration embedded(BrokerSettings settings) throws Exception {
        Configuration configuration = external();
        configuration.clearAcceptorConfigurations();
        configuration.addAcceptorConfiguration(new TransportConfiguration(InVMAcceptorFactory.class.getName()));
        if (settings.acceptor().isPresent()) {
            configuration.addAcceptorConfiguration(
                    "sallyport", settings.acceptor().get());
        }
        settings.connectorAcceptor()
                .ifPresent(door -> configuration.addAcceptorConfiguration(door.toTransportConfiguration()));
        configuration.setSecurityEnabled(settings.isReachable());
        return configuration;
    }

    /** Watches over connectors of other processes; not done where there can be none, since each message is looked at. */
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
