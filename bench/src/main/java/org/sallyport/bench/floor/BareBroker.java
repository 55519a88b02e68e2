package org.sallyport.bench.floor;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.core.config.FileDeploymentManager;
import org.apache.activemq.artemis.core.config.impl.FileConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;

/** A broker in this process with the shipped configuration, embedded as in the service. */
public final class BareBroker implements AutoCloseable {
    /** Referenced, because the logging system discards unreferenced loggers with their levels. */
    private static final List<Logger> LOGGERS = List.of(
            Logger.getLogger("org.apache.activemq.audit"),
            Logger.getLogger("org.apache.activemq.audit.base"),
            Logger.getLogger("org.apache.activemq.audit.message"),
            Logger.getLogger("org.apache.activemq.audit.resource"),
            Logger.getLogger("org.apache.activemq.artemis"));

    private static final long START_SECONDS = 30;

    private final ActiveMQServer server;

    private BareBroker(ActiveMQServer server) {
        this.server = server;
    }

    /**
     * Starts the broker.
     *
     * @param archive the shipped resource adapter archive
     * @param data an empty directory for its files
     */
    public static BareBroker start(Path archive, Path data) throws Exception {
        LOGGERS.forEach(log -> log.setLevel(log.getName().contains("audit") ? Level.OFF : Level.SEVERE));
        // The same numbers as in the resource adapter.
        ActiveMQClient.setGlobalThreadPoolProperties(600, 5, 10);
        FileConfiguration configuration = new FileConfiguration();
        new FileDeploymentManager(
                        BrokerXmlExtractor.extract(archive, data).toUri().toString())
                .addDeployable(configuration)
                .readConfiguration();
        configuration.clearAcceptorConfigurations();
        configuration.addAcceptorConfiguration(new TransportConfiguration(InVMAcceptorFactory.class.getName()));
        configuration.setSecurityEnabled(false);
        configuration.setJournalDirectory(data.resolve("journal").toString());
        configuration.setBindingsDirectory(data.resolve("bindings").toString());
        configuration.setPagingDirectory(data.resolve("paging").toString());
        configuration.setLargeMessagesDirectory(data.resolve("large").toString());
        ActiveMQServer server = ActiveMQServers.newActiveMQServer(configuration);
        server.start();
        if (!server.waitForActivation(START_SECONDS, TimeUnit.SECONDS)) {
            server.stop();
            throw new IllegalStateException("the broker of the baseline did not start within " + START_SECONDS + " s");
        }
        return new BareBroker(server);
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
