package org.sallyport.broker;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.sallyport.tls.OutboundTls;
import org.sallyport.tls.TlsConfigurationException;

/**
 * Settings of the broker.
 *
 * @param url address of an external broker, such as {@code tcp://broker:61616}; empty for the embedded broker
 * @param user user name for an external broker, and for clients of {@code acceptor}
 * @param password password of {@code user}
 * @param dataDirectory directory of the embedded broker's journal
 * @param acceptor address at which the embedded broker listens for other processes; empty for none
 * @param connectorAcceptor where the embedded broker listens for connectors; empty for none
 * @param tls TLS settings for an external broker; if empty, {@code url} determines whether the connection uses TLS
 */
record BrokerSettings(
        Optional<String> url,
        Optional<String> user,
        Optional<String> password,
        Path dataDirectory,
        Optional<String> acceptor,
        Optional<ConnectorAcceptor> connectorAcceptor,
        Optional<OutboundTls> tls) {

    BrokerSettings(
            Optional<String> url,
            Optional<String> user,
            Optional<String> password,
            Path dataDirectory,
            Optional<String> acceptor,
            Optional<ConnectorAcceptor> connectorAcceptor) {
        this(url, user, password, dataDirectory, acceptor, connectorAcceptor, Optional.empty());
    }

    BrokerSettings(
            Optional<String> url,
            Optional<String> user,
            Optional<String> password,
            Path dataDirectory,
            Optional<String> acceptor) {
        this(url, user, password, dataDirectory, acceptor, Optional.empty());
    }

    BrokerSettings {
        if (acceptor.isPresent() && (user.isEmpty() || password.isEmpty())) {
            throw new IllegalArgumentException(
                    "sallyport.broker.acceptor opens the broker: sallyport.broker.user and sallyport.broker.password "
                            + "must be set too");
        }
        if (acceptor.isPresent() && url.isPresent()) {
            throw new IllegalArgumentException(
                    "sallyport.broker.acceptor is for the embedded broker, sallyport.broker.url for an external one: "
                            + "set only one");
        }
        if (connectorAcceptor.isPresent() && url.isPresent()) {
            throw new IllegalArgumentException(
                    "sallyport.connectors.listen-address is for the embedded broker, sallyport.broker.url for an "
                            + "external "
                            + "one, which"
                            + " listens where its own configuration says: set only one");
        }
        if (tls.isPresent() && url.isEmpty()) {
            throw new IllegalArgumentException(
                    "sallyport.broker.tls.mode is for an external broker, which sallyport.broker.url names: the"
                            + " service's connection to the embedded broker stays inside the process");
        }
    }

    /** Reads the settings of this process: a system property, else an environment variable, else the default. */
    static BrokerSettings fromProcess() {
        return from(System.getProperties(), System.getenv());
    }

    static BrokerSettings from(Properties properties, Map<String, String> environment) {
        var source = new BrokerSettingsSource(properties, environment);
        return new BrokerSettings(
                source.value("sallyport.broker.url"),
                source.value("sallyport.broker.user"),
                source.value("sallyport.broker.password"),
                source.value("sallyport.broker.data")
                        .map(Path::of)
                        .orElseGet(() -> Path.of(source.value("sallyport.data").orElse("data"), "broker")),
                source.value("sallyport.broker.acceptor"),
                ConnectorAcceptor.from(source::value),
                tls(source));
    }

    private static Optional<OutboundTls> tls(BrokerSettingsSource source) {
        try {
            return OutboundTls.forBroker(source::value, InstantSource.system());
        } catch (TlsConfigurationException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    boolean isEmbedded() {
        return url.isEmpty();
    }

    /** Returns whether other processes can reach the embedded broker. */
    boolean isReachable() {
        return acceptor.isPresent() || connectorAcceptor.isPresent();
    }

    /** Omits the password, so that settings may be logged. */
    @Override
    public String toString() {
        return "BrokerSettings[url=%s, user=%s, data=%s, acceptor=%s, connectors=%s, tls=%s]"
                .formatted(
                        url,
                        user,
                        dataDirectory,
                        acceptor,
                        connectorAcceptor
                                .map(external -> external.host() + ":" + external.port())
                                .orElse("nowhere"),
                        tls.isPresent() ? "by sallyport.broker.tls" : "as the url says");
    }

    private record BrokerSettingsSource(Properties properties, Map<String, String> environment) {

        Optional<String> value(String name) {
            String variable = name.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT);
            return Optional.ofNullable(properties.getProperty(name))
                    .or(() -> Optional.ofNullable(environment.get(variable)))
                    .map(String::strip)
                    .filter(value -> !value.isEmpty());
        }
    }
}
