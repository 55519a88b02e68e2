package org.sallyport.broker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.ConfigurationUtils;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;

/**
 * Acceptor of the embedded broker for connectors in other processes. Outside of loopback it requires TLS, or a setting
 * that declares that a proxy in front of it provides TLS.
 *
 * @param host address to listen on
 * @param protocols enabled protocols of the broker
 * @param keyStore PKCS #12 file with certificate and key, for TLS
 */
record ConnectorAcceptor(
        String host, int port, List<String> protocols, Optional<String> keyStore, Optional<String> keyStorePassword) {

    private static final Set<String> SUPPORTED_PROTOCOLS = Set.of("AMQP", "STOMP", "CORE");
    private static final Pattern ADDRESS = Pattern.compile("(?:(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9_.-]+):)?([0-9]{1,5})");
    private static final int MAX_CONNECTIONS = 256;

    ConnectorAcceptor {
        protocols = List.copyOf(protocols);
    }

    /** Reads the settings. Empty when there is no acceptor. */
    static Optional<ConnectorAcceptor> from(Function<String, Optional<String>> settings) {
        return settings.apply("sallyport.connectors.listen-address").map(address -> {
            Matcher parts = ADDRESS.matcher(address);
            int port = parts.matches() ? Integer.parseInt(parts.group(2)) : 0;
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("sallyport.connectors.listen-address '" + address
                        + "': must be a port, or an address and a port such as 127.0.0.1:5672");
            }
            var acceptor = new ConnectorAcceptor(
                    Optional.ofNullable(parts.group(1)).orElse("127.0.0.1"),
                    port,
                    parseProtocols(
                            settings.apply("sallyport.connectors.protocols").orElse("AMQP")),
                    settings.apply("sallyport.connectors.keystore"),
                    settings.apply("sallyport.connectors.keystore-password"));
            acceptor.validate(
                    settings.apply("sallyport.allow-remote").orElse("").equals("true"));
            return acceptor;
        });
    }

    private static List<String> parseProtocols(String text) {
        List<String> protocols = Arrays.stream(text.split(",", -1))
                .map(name -> name.strip().toUpperCase(Locale.ROOT))
                .toList();
        if (!SUPPORTED_PROTOCOLS.containsAll(protocols)) {
            throw new IllegalArgumentException("sallyport.connectors.protocols '" + text + "': known are "
                    + SUPPORTED_PROTOCOLS.stream().sorted().collect(Collectors.joining(", ")));
        }
        return protocols;
    }

    private void validate(boolean allowRemote) {
        if (keyStore.isPresent() && keyStorePassword.isEmpty()) {
            throw new IllegalArgumentException(
                    "sallyport.connectors.keystore needs sallyport.connectors.keystore-password");
        }
        if (keyStore.isEmpty() && !allowRemote && !isLoopback()) {
            throw new IllegalArgumentException("sallyport.connectors.listen-address '" + host
                    + "': is not a loopback address and the connection is not encrypted; set "
                    + "sallyport.connectors.keystore,"
                    + " or sallyport.allow-remote=true when a proxy in front terminates TLS");
        }
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Returns the acceptor configuration. Clients must authenticate with name and password. */
    TransportConfiguration toTransportConfiguration() {
        String url = "tcp://" + host + ":" + port + "?protocols=" + String.join(",", protocols)
                + ";saslMechanisms=PLAIN;amqpCredits=100;amqpLowCredits=30;connectionsAllowed=" + MAX_CONNECTIONS
                + ";connectionTtl=60000;stompMaxFramePayloadLength=" + ConnectorLimitsPlugin.MAX_MESSAGE_BYTES;
        TransportConfiguration acceptor =
                ConfigurationUtils.parseAcceptorURI("connectors", url).get(0);
        keyStore.ifPresent(path -> {
            acceptor.getParams().put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
            acceptor.getParams().put(TransportConstants.KEYSTORE_TYPE_PROP_NAME, "PKCS12");
            acceptor.getParams().put(TransportConstants.KEYSTORE_PATH_PROP_NAME, path);
            acceptor.getParams().put(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, keyStorePassword.orElse(""));
            acceptor.getParams().put(TransportConstants.ENABLED_PROTOCOLS_PROP_NAME, "TLSv1.3,TLSv1.2");
        });
        return acceptor;
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "ConnectorAcceptor[%s:%d, %s]".formatted(host, port, protocols);
    }
}
