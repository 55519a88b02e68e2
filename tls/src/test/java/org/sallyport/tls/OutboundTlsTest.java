package org.sallyport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.testsupport.TestCertificate;

/** Tests with real TLS handshakes between the outbound side of the service and a server of the JDK. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutboundTlsTest {
    private static final int ATTEMPTS = 50;
    private static final String[] LOCAL_NAMES = {"dns:localhost", "ip:127.0.0.1"};

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    private final TestCertificate server =
            TestCertificate.of("CN=server").subjectAltNames(LOCAL_NAMES).selfSigned();
    private final TestCertificate other =
            TestCertificate.of("CN=other").subjectAltNames(LOCAL_NAMES).selfSigned();
    private final TestCertificate own = TestCertificate.of("CN=own").selfSigned();

    private Instant now = Instant.now();

    private OutboundTls database(String... pairs) throws TlsConfigurationException {
        return settings(pairs).orElseThrow();
    }

    private Optional<OutboundTls> settings(String... pairs) throws TlsConfigurationException {
        Map<String, String> settings = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put("sallyport.db.tls." + pairs[i], pairs[i + 1]);
        }
        return OutboundTls.forDatabase(name -> Optional.ofNullable(settings.get(name)), () -> now);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    private OutboundTls trusting(TestCertificate whom, String... more) throws Exception {
        String[] pairs = new String[4 + more.length];
        System.arraycopy(
                new String[] {"mode", "tls", "ca-file", file(authorityFile(whom), whom.certificatePem())},
                0,
                pairs,
                0,
                4);
        System.arraycopy(more, 0, pairs, 4, more.length);
        return database(pairs);
    }

    private static String authorityFile(TestCertificate whom) {
        return whom.certificate().getSubjectX500Principal().getName() + ".ca";
    }

    private OutboundTls showing(TestCertificate mine) throws Exception {
        return trusting(
                server,
                "mode",
                "mtls",
                "certificate",
                file("own.crt", mine.certificatePem()),
                "key",
                file("own.key", mine.keyPem()));
    }

    /** Connects once and returns the subject of the certificate that the server received; empty if it received none. */
    private Optional<String> connect(
            OutboundTls tls, TestCertificate shown, Optional<TestCertificate> asksFor, String host) throws Exception {
        try (SSLServerSocket listening = listen(shown, asksFor)) {
            CompletableFuture<Optional<String>> seen = CompletableFuture.supplyAsync(() -> accept(listening));
            try (SSLSocket socket = openSocket(tls, listening.getLocalPort(), host)) {
                socket.startHandshake();
                // With TLS 1.3 the server rejects a client certificate only after the handshake of the client.
                assertThat(socket.getInputStream().read()).isEqualTo('!');
            }
            return seen.join();
        }
    }

    /**
     * Connects, and retries after a {@link SocketException}. A server that rejects the client closes the connection
     * immediately; if the client still writes at this moment, its write may fail before it can read the alert of the
     * server.
     */
    private void connectUntilTold(
            OutboundTls tls, TestCertificate shown, Optional<TestCertificate> asksFor, String host) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                connect(tls, shown, asksFor, host);
                return;
            } catch (SocketException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static SSLSocket openSocket(OutboundTls tls, int port, String host) throws IOException {
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        plain.setSoTimeout(60_000);
        return (SSLSocket) tls.context().getSocketFactory().createSocket(plain, host, port, true);
    }

    private static Optional<String> accept(SSLServerSocket listening) {
        try (SSLSocket accepted = (SSLSocket) listening.accept()) {
            accepted.startHandshake();
            accepted.getOutputStream().write('!');
            accepted.getOutputStream().flush();
            try {
                return Optional.of(accepted.getSession().getPeerPrincipal().getName());
            } catch (SSLPeerUnverifiedException shownNone) {
                return Optional.empty();
            }
        } catch (IOException refused) {
            return Optional.empty();
        }
    }

    private static SSLServerSocket listen(TestCertificate shown, Optional<TestCertificate> asksFor)
            throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(shown.keyStore(), TestCertificate.PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(asksFor.orElse(shown).trustStore());
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] managers = keys.getKeyManagers();
        context.init(managers, trust.getTrustManagers(), null);
        SSLServerSocket listening = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress());
        listening.setNeedClientAuth(asksFor.isPresent());
        return listening;
    }

    private void assertRejected(
            String because, OutboundTls tls, TestCertificate shown, Optional<TestCertificate> asksFor, String host) {
        assertThatThrownBy(() -> connectUntilTold(tls, shown, asksFor, host))
                .satisfies(failure -> assertThat(tls.explain(failure).orElse("unexplained: " + failure))
                        .contains(because));
    }

    @Test
    void serverWithACertificateOfTheConfiguredAuthorityIsAccepted() throws Exception {
        assertThat(connect(trusting(server), server, Optional.empty(), "localhost"))
                .isEmpty();
        assertThat(connect(trusting(server), server, Optional.empty(), "127.0.0.1"))
                .isEmpty();
    }

    @Test
    void serverWithACertificateOfAnotherAuthorityIsRefused() throws Exception {
        assertRejected(
                "sallyport.db.tls.ca-file: the certificate of the database was not issued by an authority in this file",
                trusting(other),
                server,
                Optional.empty(),
                "localhost");
        assertRejected(
                "sallyport.db.tls.ca-file: the certificate of the database was not issued by an authority that Java"
                        + " trusts",
                database("mode", "tls"),
                server,
                Optional.empty(),
                "localhost");
    }

    @Test
    void serverWithAnotherHostNameIsRefusedUnlessConfigured() throws Exception {
        assertRejected(
                "sallyport.db.url: the certificate of the database is for another name",
                trusting(server),
                server,
                Optional.empty(),
                "db.example");
        assertRejected(
                "set the name that it has in sallyport.db.tls.server-name",
                trusting(server, "server-name", "db.example"),
                server,
                Optional.empty(),
                "localhost");
        assertThat(connect(trusting(server, "server-name", "localhost"), server, Optional.empty(), "db.example"))
                .isEmpty();
    }

    @Test
    void sslEngineVerifiesTheHostName() throws Exception {
        var engine = trusting(server, "server-name", "db.example").context().createSSLEngine("other.example", 1);

        assertThat(engine.getSSLParameters().getEndpointIdentificationAlgorithm())
                .isEqualTo("HTTPS");
        assertThat(engine.getPeerHost()).isEqualTo("db.example");
        assertThat(engine.getUseClientMode()).isTrue();
    }

    @Test
    void expiredCertificateIsRefused() throws Exception {
        TestCertificate authority =
                TestCertificate.of("CN=authority").authority().selfSigned();
        TestCertificate expired = TestCertificate.of("CN=over")
                .subjectAltNames(LOCAL_NAMES)
                .expired()
                .issuedBy(authority);
        TestCertificate good =
                TestCertificate.of("CN=good").subjectAltNames(LOCAL_NAMES).issuedBy(authority);

        assertThat(connect(trusting(authority), good, Optional.empty(), "localhost"))
                .isEmpty();
        assertRejected("is not valid now", trusting(authority), expired, Optional.empty(), "localhost");
    }

    @Test
    void serverThatRequiresAClientCertificateReceivesIt() throws Exception {
        assertThat(connect(showing(own), server, Optional.of(own), "localhost")).contains("CN=own");
        assertRejected(
                "sallyport.db.tls.mode: the database asks for a certificate",
                trusting(server),
                server,
                Optional.of(own),
                "localhost");
        assertRejected(
                "sallyport.db.tls.certificate: the database does not accept it",
                showing(other),
                server,
                Optional.of(own),
                "localhost");
    }

    @Test
    void renewedFilesApplyToTheNextConnection() throws Exception {
        TestCertificate second = TestCertificate.of("CN=second").selfSigned();
        now = now.plus(Duration.ofSeconds(11));
        OutboundTls tls = showing(own);
        assertThat(connect(tls, server, Optional.of(own), "localhost")).contains("CN=own");

        file("own.crt", second.certificatePem());
        now = now.plus(Duration.ofSeconds(11));
        // A new certificate without its key does not replace the pair.
        assertThat(connect(tls, server, Optional.of(own), "localhost")).contains("CN=own");
        file("own.key", second.keyPem());
        now = now.plus(Duration.ofSeconds(11));
        assertThat(connect(tls, server, Optional.of(second), "localhost")).contains("CN=second");

        file(authorityFile(server), other.certificatePem());
        now = now.plus(Duration.ofSeconds(11));
        assertThat(connect(tls, other, Optional.of(second), "localhost")).contains("CN=second");
        assertRejected("was not issued by an authority in this file", tls, server, Optional.of(second), "localhost");
    }

    @Test
    void serverWithoutTlsIsReported() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answer = CompletableFuture.runAsync(() -> {
                try (Socket accepted = listening.accept()) {
                    accepted.getOutputStream()
                            .write("I speak something else\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                    accepted.getOutputStream().flush();
                    accepted.getInputStream().read();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            OutboundTls tls = trusting(server);
            try (SSLSocket socket = openSocket(tls, listening.getLocalPort(), "localhost")) {
                assertThatThrownBy(socket::startHandshake)
                        .satisfies(failure -> assertThat(tls.explain(failure).orElse("unexplained: " + failure))
                                .isEqualTo("sallyport.db.tls.mode: the database does not speak TLS at the address of"
                                        + " sallyport.db.url"));
            }
            answer.join();
        }
    }

    @Test
    void unrelatedErrorIsNotExplained() throws Exception {
        assertThat(trusting(server).explain(new IOException("Connection refused")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ca-file", "certificate", "key", "server-name"})
    void insecureModeRefusesOtherTlsSettings(String setting) {
        assertThatThrownBy(() -> settings(setting, "x"))
                .hasMessage("sallyport.db.tls." + setting + ": must not be set while sallyport.db.tls.mode is"
                        + " insecure");
    }

    @Test
    void invalidSettingIsNamed() throws Exception {
        assertThat(settings()).isEmpty();
        assertThat(settings("mode", "insecure")).isEmpty();
        String crt = file("a.crt", own.certificatePem());
        String key = file("a.key", own.keyPem());
        for (List<String> wrong : List.of(
                List.of("sallyport.db.tls.mode 'yes': must be one of insecure, tls, mtls", "mode", "yes"),
                List.of(
                        "sallyport.db.tls.ca-file '/nowhere': there is no such file",
                        "mode",
                        "tls",
                        "ca-file",
                        "/nowhere"),
                List.of("is a directory", "mode", "tls", "ca-file", directory.toString()),
                List.of("sallyport.db.tls.ca-file: contains no CA certificate", "mode", "tls", "ca-file", key),
                List.of(
                        "sallyport.db.tls.certificate: may be set only when",
                        "mode",
                        "tls",
                        "certificate",
                        crt,
                        "key",
                        key),
                List.of("sallyport.db.tls.certificate: must be set where", "mode", "mtls"),
                List.of("sallyport.db.tls.key: must be set with", "mode", "mtls", "certificate", crt),
                List.of(
                        "sallyport.db.tls.key '/nowhere': there is no such file",
                        "mode",
                        "mtls",
                        "certificate",
                        crt,
                        "key",
                        "/nowhere"),
                List.of(
                        "the certificate does not match the key",
                        "mode",
                        "mtls",
                        "certificate",
                        crt,
                        "key",
                        file("b.key", other.keyPem())))) {
            assertThatThrownBy(() -> settings(wrong.subList(1, wrong.size()).toArray(String[]::new)))
                    .isInstanceOf(TlsConfigurationException.class)
                    .hasMessageContaining(wrong.get(0));
        }
    }

    @Test
    void incompleteFileIsRefused() throws Exception {
        String whole = server.certificatePem() + other.certificatePem();
        String half = whole.substring(0, whole.length() - 40);
        assertThatThrownBy(() -> settings("mode", "tls", "ca-file", file("half.pem", half)))
                .isInstanceOf(TlsConfigurationException.class)
                .hasMessageContaining("has an incomplete PEM block");
    }

    @Test
    void brokerSettingsHaveTheirOwnNames() {
        assertThatThrownBy(() -> OutboundTls.forBroker(
                        name -> name.equals("sallyport.broker.tls.mode") ? Optional.of("mtls") : Optional.empty(),
                        InstantSource.system()))
                .hasMessageStartingWith("sallyport.broker.tls.certificate: must be set");
    }
}
