package org.sallyport.broker;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.activemq.artemis.core.config.Configuration;

/**
 * Runs a broker in a separate process with the same {@code broker.xml}, to try and test an installation with an
 * external broker. Needs the libraries of the archive on the class path. Reads {@code sallyport.broker.acceptor},
 * {@code sallyport.broker.user}, {@code sallyport.broker.password}, {@code sallyport.broker.data} and
 * {@code sallyport.broker.connectors}, a properties file with the password of each backend's connector. Prints
 * {@value #READY} when it listens, and runs until it is terminated.
 */
public final class ExternalBroker {

    /** Line that reports that clients can connect. */
    public static final String READY = "broker ready";

    private ExternalBroker() {}

    /** Runs the broker. Exits with an error when it cannot start. */
    public static void main(String[] arguments) throws Exception {
        BrokerSettings settings = BrokerSettings.fromProcess();
        Configuration configuration = BrokerConfiguration.external();
        if (settings.user().isEmpty() || settings.password().isEmpty()) {
            throw new IllegalArgumentException("sallyport.broker.user and sallyport.broker.password must be set");
        }
        var accounts = new BrokerSecurityManager(
                Map.of(settings.user().get(), settings.password().get()));
        Properties connectors = readConnectorPasswords();
        if (!connectors.isEmpty()) {
            BrokerConfiguration.registerConnectorPlugins(configuration, accounts);
        }
        for (Map.Entry<Object, Object> connector : connectors.entrySet()) {
            accounts.admit(String.valueOf(connector.getKey()), String.valueOf(connector.getValue()));
        }
        EmbeddedBroker broker = EmbeddedBroker.start(configuration, settings.dataDirectory(), accounts);
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            try {
                                broker.close();
                            } catch (Exception e) {
                                System.err.println("The broker did not stop cleanly: " + e);
                            }
                            stopped.countDown();
                        },
                        "broker-stop"));
        System.out.println(READY);
        stopped.await();
    }

    private static Properties readConnectorPasswords() throws IOException {
        Properties connectors = new Properties();
        String file = System.getProperty("sallyport.broker.connectors");
        if (file != null) {
            try (Reader reader = Files.newBufferedReader(Path.of(file))) {
                connectors.load(reader);
            }
        }
        return connectors;
    }
}
