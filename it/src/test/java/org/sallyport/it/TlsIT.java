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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Authority;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.Hello;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.CertificateFiles;

/** A service that speaks TLS: to whom it does, with which certificate, and what it takes no notice of. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsIT {
    private static final Duration START = Duration.ofSeconds(240);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String[] HERE = {"dns:localhost", "ip:127.0.0.1"};

    private final Authority authority = new Authority("Test Root");
    private final CertificateFiles own = authority.issue("CN=first", HERE);
    private final SallyportServer server = ServerSetup.fresh("tls")
            .with("sallyport.tls.mode", "tls")
            .with("sallyport.tls.certificate", own.certificate().toString())
            .with("sallyport.tls.key", own.key().toString())
            .with("sallyport.tls.reload-millis", "200")
            .launch();

    @BeforeAll
    void begin() {
        awaitReady(server, authority.client(Optional.empty()));
    }

    @AfterAll
    void end() {
        server.close();
        authority.close();
    }

    static void awaitReady(SallyportServer server, SSLContext client) {
        Await.until(
                "the server is ready",
                START,
                () -> !server.isAlive() || server.logText().contains(" ready in "));
        new Api(client, server.url(), Optional.empty()).get("/health/ready").expect(200);
    }

    private Api api() {
        return new Api(authority.client(Optional.empty()), server.url(), Optional.of(server.adminKey()));
    }

    @Test
    void answersThoseWhoTrustItsAuthority() {
        Answer answer = api().get("/api/v1/tools").expect(200);

        assertThat(server.url().getScheme()).isEqualTo("https");
        assertThat(answer.header("Strict-Transport-Security")).startsWith("max-age=");
        assertThat(api().run(Submission.javascript("return 6 * 7"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
    }

    @Test
    void whoTrustsAnotherAuthorityDoesNotBelieveIt() {
        try (Authority other = new Authority("Another Root")) {
            assertThatThrownBy(() -> new Api(other.client(Optional.empty()), server.url(), Optional.empty())
                            .get("/health/ready"))
                    .hasRootCauseInstanceOf(CertPathBuilderException.class);
        }
    }

    @Test
    void aNameThatIsNotInTheCertificateIsNotBelieved() {
        assertThatThrownBy(() -> handshake("wrong.example", "TLSv1.3"))
                .isInstanceOf(SSLHandshakeException.class)
                .hasMessageContaining("wrong.example");
    }

    @Test
    void plainHttpGetsNothing() {
        try (RawClient client = new RawClient(server.url())) {
            client.send(RawClient.get("/health/ready", "none"));
            assertThat(client.drain(1_024, Duration.ZERO, Duration.ofSeconds(20)))
                    .isLessThan(64);
        }
        assertThat(server.logText()).doesNotContain("Exception during FilterChain execution");
    }

    /** Versions and cipher suites as they go over the wire (RFC 5246, RFC 8446): this Java itself speaks no old ones any more. */
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
        assertThat(Hello.answer(server.url(), version, suite)).isNotEqualTo(Hello.HANDSHAKE);
        // The same with what is spoken: ECDHE_ECDSA with AES GCM.
        assertThat(Hello.answer(server.url(), "0303", "C02B")).isEqualTo(Hello.HANDSHAKE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void newProtocolsAreSpoken(String protocol) throws IOException {
        SSLSession session = handshake("localhost", protocol);

        assertThat(session.getProtocol()).isEqualTo(protocol);
        assertThat(session.getCipherSuite()).containsAnyOf("GCM", "CHACHA20");
    }

    @Test
    void aRenewedCertificateIsShownWithoutARestart() {
        long pid = server.pid();
        Api before = api();
        before.get("/api/v1/tools").expect(200);

        authority.issue("CN=second", HERE).replace(own);

        Await.until("the renewed certificate is shown", SOON, () -> shown().equals("CN=second"));
        assertThat(server.pid()).isEqualTo(pid);
        // Connections that were open before go on.
        before.get("/api/v1/tools").expect(200);
    }

    @Test
    void whatCannotBeUsedReplacesNothing() throws IOException {
        String before = shown();
        byte[] certificate = Files.readAllBytes(own.certificate());

        Files.writeString(own.certificate(), "no certificate");
        Await.until(
                "the log says so",
                SOON,
                () -> !shown().isEmpty() && server.logText().contains("sallyport.tls.certificate: has no certificate"));
        assertThat(shown()).isEqualTo(before);

        Files.write(own.certificate(), certificate);
        assertThat(shown()).isEqualTo(before);
    }

    @Test
    void theCommandSpeaksIt() {
        Map<String, String> toServer =
                Map.of("SALLYPORT_URL", server.url().toString(), "SALLYPORT_KEY", server.adminKey());

        Command stranger = sallyport(toServer, "tools");
        assertThat(stranger.exit()).isEqualTo(5);
        assertThat(stranger.err()).contains("SALLYPORT_CA_FILE");

        Map<String, String> trusting = new HashMap<>(toServer);
        trusting.put("SALLYPORT_CA_FILE", authority.file().toString());
        assertThat(sallyport(trusting, "tools").expect(0).out()).contains("demo");

        trusting.put("SALLYPORT_CA_FILE", "/nowhere/ca.pem");
        assertThat(sallyport(trusting, "tools").expect(2).err()).contains("SALLYPORT_CA_FILE", "there is no such file");
    }

    static Command sallyport(Map<String, String> environment, String... words) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                ServerSetup.QUICK_START,
                "-jar",
                Checkout.home().resolve("cli/target/sallyport-cli.jar").toString()));
        command.addAll(List.of(words));
        return Command.run(environment, command);
    }

    private String shown() {
        try {
            return ((X509Certificate) handshake("localhost", "TLSv1.3").getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        } catch (IOException e) {
            throw new AssertionError("no handshake", e);
        }
    }

    /** One handshake on a connection of its own, resuming nothing. */
    private SSLSession handshake(String name, String protocol) throws IOException {
        Socket plain = new Socket("127.0.0.1", server.url().getPort());
        try (SSLSocket socket = (SSLSocket) authority
                .client(Optional.empty())
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
