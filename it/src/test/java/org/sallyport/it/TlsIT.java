package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RawTlsClientHello;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestCertificateAuthority;
import org.sallyport.testsupport.CertificateFiles;

/** A service that uses TLS: which clients it accepts, which certificate it presents, and which input it ignores. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsIT {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(240);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String[] LOCAL_NAMES = {"dns:localhost", "ip:127.0.0.1"};

    private final TestCertificateAuthority authority = new TestCertificateAuthority("Test Root");
    private final CertificateFiles serverCertificate = authority.issue("CN=first", LOCAL_NAMES);
    private final SallyportServer server = ServerSetup.create("tls")
            .with("sallyport.tls.mode", "tls")
            .with("sallyport.tls.certificate", serverCertificate.certificate().toString())
            .with("sallyport.tls.key", serverCertificate.key().toString())
            .with("sallyport.tls.reload-millis", "200")
            .launch();

    @BeforeAll
    void begin() {
        awaitReady(server, authority.clientContext(Optional.empty()));
    }

    @AfterAll
    void end() {
        server.close();
        authority.close();
    }

    static void awaitReady(SallyportServer server, SSLContext client) {
        Await.until(
                "the server is ready",
                START_TIMEOUT,
                () -> !server.isAlive() || server.logText().contains(" ready in "));
        new RestClient(client, server.url(), Optional.empty())
                .get("/health/ready")
                .expectStatus(200);
    }

    private RestClient api() {
        return new RestClient(authority.clientContext(Optional.empty()), server.url(), Optional.of(server.adminKey()));
    }

    @Test
    void serverAnswersClientsThatTrustItsAuthority() {
        RestResponse answer = api().get("/api/v1/tools").expectStatus(200);

        assertThat(server.url().getScheme()).isEqualTo("https");
        assertThat(answer.header("Strict-Transport-Security")).startsWith("max-age=");
        assertThat(api().run(SubmissionBody.javascript("return 6 * 7"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
    }

    @Test
    void clientThatTrustsAnotherAuthorityRejectsTheServer() {
        try (TestCertificateAuthority other = new TestCertificateAuthority("Another Root")) {
            assertThatThrownBy(
                            () -> new RestClient(other.clientContext(Optional.empty()), server.url(), Optional.empty())
                                    .get("/health/ready"))
                    .hasRootCauseInstanceOf(CertPathBuilderException.class);
        }
    }

    @Test
    void clientRejectsAHostNameMissingFromTheCertificate() {
        assertThatThrownBy(() -> handshake("wrong.example", "TLSv1.3"))
                .isInstanceOf(SSLHandshakeException.class)
                .hasMessageContaining("wrong.example");
    }

    @Test
    void plainHttpGetsNoResponse() {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send(RawHttpConnection.getRequest("/health/ready", "none"));
            assertThat(client.drain(1_024, Duration.ZERO, Duration.ofSeconds(20)))
                    .isLessThan(64);
        }
        assertThat(server.logText()).doesNotContain("Exception during FilterChain execution");
    }

    /**
     * Versions and cipher suites in their wire format (RFC 5246, RFC 8446). The test writes raw bytes, because this
     * Java version does not support the old ones.
     */
    @ParameterizedTest
    @CsvSource({
        // TLS 1.0, 1.1; ECDHE_ECDSA with AES CBC and SHA
        "0301, C009",
        "0302, C009",
        // TLS 1.2; RSA with AES CBC, ECDHE_ECDSA with AES CBC and SHA, and SHA-256
        "0303, 002F",
        "0303, C009",
        "0303, C023",
    })
    void oldProtocolsAndCiphersAreRefused(String version, String suite) {
        assertThat(RawTlsClientHello.sendAndReadRecordType(server.url(), version, suite))
                .isNotEqualTo(RawTlsClientHello.HANDSHAKE_RECORD);
        // The same request with a supported suite, ECDHE_ECDSA with AES GCM, gets a handshake record.
        assertThat(RawTlsClientHello.sendAndReadRecordType(server.url(), "0303", "C02B"))
                .isEqualTo(RawTlsClientHello.HANDSHAKE_RECORD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void currentProtocolsAreAccepted(String protocol) throws IOException {
        SSLSession session = handshake("localhost", protocol);

        assertThat(session.getProtocol()).isEqualTo(protocol);
        assertThat(session.getCipherSuite()).containsAnyOf("GCM", "CHACHA20");
    }

    @Test
    void renewedCertificateIsPresentedWithoutARestart() {
        long pid = server.pid();
        RestClient before = api();
        before.get("/api/v1/tools").expectStatus(200);

        authority.issue("CN=second", LOCAL_NAMES).replace(serverCertificate);

        Await.until(
                "the renewed certificate is shown",
                TIMEOUT,
                () -> shownCertificateName().equals("CN=second"));
        assertThat(server.pid()).isEqualTo(pid);
        // Connections that were open before the change continue.
        before.get("/api/v1/tools").expectStatus(200);
    }

    @Test
    void unusableCertificateDoesNotReplaceTheCurrentOne() throws IOException {
        String before = shownCertificateName();
        byte[] certificate = Files.readAllBytes(serverCertificate.certificate());

        Files.writeString(serverCertificate.certificate(), "no certificate");
        Await.until(
                "the log says so",
                TIMEOUT,
                () -> !shownCertificateName().isEmpty()
                        && server.logText().contains("sallyport.tls.certificate: has no certificate"));
        assertThat(shownCertificateName()).isEqualTo(before);

        Files.write(serverCertificate.certificate(), certificate);
        assertThat(shownCertificateName()).isEqualTo(before);
    }

    @Test
    void commandConnectsOverTls() {
        Map<String, String> toServer =
                Map.of("SALLYPORT_URL", server.url().toString(), "SALLYPORT_KEY", server.adminKey());

        CommandResult stranger = runSallyport(toServer, "tools");
        assertThat(stranger.exitCode()).isEqualTo(5);
        assertThat(stranger.errorOutput()).contains("SALLYPORT_CA_FILE");

        Map<String, String> trusting = new HashMap<>(toServer);
        trusting.put("SALLYPORT_CA_FILE", authority.certificateFile().toString());
        assertThat(runSallyport(trusting, "tools").expectExitCode(0).output()).contains("demo");

        trusting.put("SALLYPORT_CA_FILE", "/nowhere/ca.pem");
        assertThat(runSallyport(trusting, "tools").expectExitCode(2).errorOutput())
                .contains("SALLYPORT_CA_FILE", "there is no such file");
    }

    static CommandResult runSallyport(Map<String, String> environment, String... words) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                ServerSetup.QUICK_START_OPTION,
                "-jar",
                CheckoutPaths.root().resolve("cli/target/sallyport-cli.jar").toString()));
        command.addAll(List.of(words));
        return CommandResult.run(environment, command);
    }

    private String shownCertificateName() {
        try {
            return ((X509Certificate) handshake("localhost", "TLSv1.3").getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        } catch (IOException e) {
            throw new AssertionError("no handshake", e);
        }
    }

    /** Makes one handshake on a new connection, without resuming a session. */
    private SSLSession handshake(String name, String protocol) throws IOException {
        Socket plain = new Socket("127.0.0.1", server.url().getPort());
        try (SSLSocket socket = (SSLSocket) authority
                .clientContext(Optional.empty())
                .getSocketFactory()
                .createSocket(plain, name, server.url().getPort(), true)) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setProtocols(new String[] {protocol});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket.getSession();
        }
    }
}
