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
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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
import org.sallyport.tls.OutboundTls;
import org.sallyport.tls.OutboundTls.TlsFailureReason;

/**
 * Checks the TLS connection to an external broker before the start and reports the cause of a mismatch, which the
 * broker's client does not. A broker that is unavailable, slow, or rejects the password does not prevent the start,
 * because it may recover.
 */
final class BrokerConnectionCheck {
    private static final Logger LOG = System.getLogger(BrokerConnectionCheck.class.getName());
    private static final int TIMEOUT_MILLIS = 3_000;
    private static final int MAX_PROBES = 5;
    private static final long PAUSE_MILLIS = 300;

    private final BrokerUrl brokerUrl;
    private final Optional<OutboundTls> tls;

    private BrokerConnectionCheck(BrokerUrl connection) {
        this.brokerUrl = connection;
        this.tls = connection.settings().tls();
    }

    /**
     * Throws {@link IllegalArgumentException} when no broker is reachable and other TLS settings would make one
     * reachable.
     */
    static void check(BrokerUrl connection) {
        new BrokerConnectionCheck(connection).run();
    }

    private void run() {
        List<String> clear = brokerUrl.unencryptedRemoteHosts();
        if (!clear.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "The connection to the message broker at {0} is not encrypted: others on the network can read and"
                            + " change scripts, tool calls and the password. Set sallyport.broker.tls.mode.",
                    String.join(", ", clear));
        }
        List<TlsFailureReason> reasons = new ArrayList<>();
        for (TransportConfiguration connector : brokerUrl.connectors()) {
            if (canConnect(connector)) {
                return;
            }
            findReason(connector).ifPresent(reasons::add);
        }
        String all = reasons.stream().map(TlsFailureReason::text).collect(Collectors.joining("; "));
        if (reasons.stream().anyMatch(TlsFailureReason::certain)) {
            throw new IllegalArgumentException(all);
        } else if (!reasons.isEmpty()) {
            LOG.log(Level.WARNING, "There is no connection to the message broker yet. {0}", all);
        }
    }

    /**
     * A broker that rejects the client may close the connection before its reason was read. A second attempt finds the
     * reason.
     */
    private Optional<TlsFailureReason> findReason(TransportConfiguration connector) {
        Optional<TlsFailureReason> reason = probe(connector);
        for (int looks = 1;
                looks < MAX_PROBES && reason.filter(seen -> !seen.certain()).isPresent();
                looks++) {
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return reason;
            }
            reason = probe(connector);
        }
        return reason;
    }

    private boolean canConnect(TransportConfiguration connector) {
        return tryConnect(connector, true, sessions -> {
            try (ClientSession session = sessions.createSession(
                    brokerUrl.settings().user().orElse(null),
                    brokerUrl.settings().password().orElse(null),
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

    private interface SessionProbe {
        boolean succeeds(ClientSessionFactory sessions) throws ActiveMQException;
    }

    private static boolean tryConnect(TransportConfiguration connector, boolean asConfigured, SessionProbe trial) {
        Map<String, Object> parameters = new HashMap<>(connector.getParams());
        parameters.put(TransportConstants.NETTY_CONNECT_TIMEOUT, TIMEOUT_MILLIS);
        if (!asConfigured) {
            parameters.remove(TransportConstants.SSL_ENABLED_PROP_NAME);
        }
        var tried = new TransportConfiguration(connector.getFactoryClassName(), parameters);
        try (ServerLocator locator = ActiveMQClient.createServerLocatorWithoutHA(tried)) {
            locator.setInitialConnectAttempts(1);
            locator.setReconnectAttempts(0);
            locator.setCallTimeout(TIMEOUT_MILLIS);
            try (ClientSessionFactory sessions = locator.createSessionFactory()) {
                return trial.succeeds(sessions);
            }
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "The message broker could not be reached yet", e);
            return false;
        }
    }

    private Optional<TlsFailureReason> probe(TransportConfiguration connector) {
        String host = ConfigurationHelper.getStringProperty(
                TransportConstants.HOST_PROP_NAME, TransportConstants.DEFAULT_HOST, connector.getParams());
        int port = ConfigurationHelper.getIntProperty(
                TransportConstants.PORT_PROP_NAME, TransportConstants.DEFAULT_PORT, connector.getParams());
        Object encrypted = connector.getParams().get(TransportConstants.SSL_ENABLED_PROP_NAME);
        if (tls.isEmpty() && Boolean.parseBoolean(String.valueOf(encrypted))) {
            // The address contains TLS parameters; the client reports their errors.
            return Optional.empty();
        }
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            plain.setSoTimeout(TIMEOUT_MILLIS);
            return tls.isPresent()
                    ? handshakeReason(tls.get(), plain, connector, host, port)
                    : speaksTls(plain, host, port)
                            ? certainReason(host, port, " speaks TLS; set it to tls or mtls")
                            : Optional.empty();
        } catch (IOException away) {
            return Optional.empty();
        }
    }

    private static Optional<TlsFailureReason> handshakeReason(
            OutboundTls tls, Socket plain, TransportConfiguration connector, String host, int port) {
        try (SSLSocket socket = (SSLSocket) tls.context().getSocketFactory().createSocket(plain, host, port, true)) {
            socket.startHandshake();
            // With TLS 1.3 the broker reports a rejected client certificate only after the handshake.
            socket.getInputStream().read();
            return Optional.empty();
        } catch (SocketTimeoutException silent) {
            // A broker without TLS waits for more input. The check sends it no account.
            return tryConnect(connector, false, sessions -> true)
                    ? certainReason(host, port, " does not use TLS")
                    : Optional.empty();
        } catch (IOException e) {
            return tls.findReason(e);
        }
    }

    /** Returns whether the answer is TLS, regardless of its content. */
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
            LOG.log(Level.DEBUG, "cannot check whether the broker uses TLS", e);
            return false;
        }
    }

    private static Optional<TlsFailureReason> certainReason(String host, int port, String what) {
        return Optional.of(
                new TlsFailureReason("sallyport.broker.tls.mode: the broker at " + host + ":" + port + what, true));
    }
}
