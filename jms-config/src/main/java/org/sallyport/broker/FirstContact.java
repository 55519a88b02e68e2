package org.sallyport.broker;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQSecurityException;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.utils.ConfigurationHelper;
import org.sallyport.tls.ServiceTls;

/**
 * Tries an external broker before anything depends on it, and says what its client does not: that the two do not agree about TLS,
 * and why. A broker that is away, slow, or of another opinion about passwords is no reason not to start: it may come back.
 */
final class FirstContact {
    private static final Logger LOG = System.getLogger(FirstContact.class.getName());
    private static final int PATIENCE_MILLIS = 3_000;

    private final ExternalConnection connection;
    private final Optional<ServiceTls> tls;

    private FirstContact(ExternalConnection connection) {
        this.connection = connection;
        this.tls = connection.settings().tls();
    }

    /** {@link IllegalArgumentException} when none can be spoken to and one of them could, with other settings of TLS. */
    static void with(ExternalConnection connection) {
        new FirstContact(connection).make();
    }

    private void make() {
        List<String> reasons = new ArrayList<>();
        for (TransportConfiguration connector : connection.connectors()) {
            if (answers(connector)) {
                return;
            }
            why(connector).ifPresent(reasons::add);
        }
        if (!reasons.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", reasons));
        }
    }

    private boolean answers(TransportConfiguration connector) {
        return reached(connector, true, sessions -> {
            try (ClientSession session = sessions.createSession(
                    connection.settings().user().orElse(null),
                    connection.settings().password().orElse(null),
                    false,
                    true,
                    true,
                    false,
                    1)) {
                return !session.isClosed();
            } catch (ActiveMQSecurityException e) {
                return true;
            }
        });
    }

    private interface Trial {
        boolean succeeds(ClientSessionFactory sessions) throws ActiveMQException;
    }

    private static boolean reached(TransportConfiguration connector, boolean asConfigured, Trial trial) {
        Map<String, Object> parameters = new HashMap<>(connector.getParams());
        parameters.put(TransportConstants.NETTY_CONNECT_TIMEOUT, PATIENCE_MILLIS);
        if (!asConfigured) {
            parameters.remove(TransportConstants.SSL_ENABLED_PROP_NAME);
        }
        var tried = new TransportConfiguration(connector.getFactoryClassName(), parameters);
        try (ServerLocator locator = ActiveMQClient.createServerLocatorWithoutHA(tried)) {
            locator.setInitialConnectAttempts(1);
            locator.setReconnectAttempts(0);
            locator.setCallTimeout(PATIENCE_MILLIS);
            try (ClientSessionFactory sessions = locator.createSessionFactory()) {
                return trial.succeeds(sessions);
            }
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "The message broker could not be reached yet", e);
            return false;
        }
    }

    private Optional<String> why(TransportConfiguration connector) {
        String host = ConfigurationHelper.getStringProperty(
                TransportConstants.HOST_PROP_NAME, TransportConstants.DEFAULT_HOST, connector.getParams());
        int port = ConfigurationHelper.getIntProperty(
                TransportConstants.PORT_PROP_NAME, TransportConstants.DEFAULT_PORT, connector.getParams());
        Object encrypted = connector.getParams().get(TransportConstants.SSL_ENABLED_PROP_NAME);
        if (tls.isEmpty() && Boolean.parseBoolean(String.valueOf(encrypted))) {
            // The address says how; its client says what is wrong with that.
            return Optional.empty();
        }
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            plain.setSoTimeout(PATIENCE_MILLIS);
            return tls.isPresent()
                    ? refusal(tls.get(), plain, connector, host, port)
                    : speaksTls(plain, host, port)
                            ? Optional.of("sallyport.broker.tls.mode: the broker at " + host + ":" + port
                                    + " speaks TLS; set it to tls or mtls")
                            : Optional.empty();
        } catch (IOException away) {
            return Optional.empty();
        }
    }

    private static Optional<String> refusal(
            ServiceTls tls, Socket plain, TransportConfiguration connector, String host, int port) {
        try (SSLSocket socket = (SSLSocket) tls.context().getSocketFactory().createSocket(plain, host, port, true)) {
            socket.startHandshake();
            // With TLS 1.3 the broker says only afterwards what it thinks of our certificate.
            socket.getInputStream().read();
            return Optional.empty();
        } catch (SocketTimeoutException silent) {
            // One that does not speak TLS waits for more. It is told no account to find that out.
            return reached(connector, false, sessions -> true)
                    ? Optional.of("sallyport.broker.tls.mode: the broker at " + host + ":" + port
                            + " speaks in the clear, and not TLS")
                    : Optional.empty();
        } catch (IOException e) {
            return tls.explained(e);
        }
    }

    /** Whether what answers is TLS, whatever that says. */
    private static boolean speaksTls(Socket plain, String host, int port) {
        try (SSLSocket socket =
                (SSLSocket) SSLContext.getDefault().getSocketFactory().createSocket(plain, host, port, true)) {
            socket.startHandshake();
            return true;
        } catch (SSLException e) {
            return e.getCause() instanceof CertificateException
                    || String.valueOf(e.getMessage()).startsWith("Received fatal alert");
        } catch (IOException silent) {
            return false;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java VM knows TLS", e);
        }
    }
}
