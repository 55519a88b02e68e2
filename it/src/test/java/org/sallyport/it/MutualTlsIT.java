package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestCertificateAuthority;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TestCertificate;

/**
 * A service that requires client certificates: which certificates it accepts, and which caller a certificate
 * identifies.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutualTlsIT {
    private static final String EXECUTIONS = "/api/v1/executions";
    private static final String BLOCKED_SUBJECTS = "/api/v1/blocked-subjects";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final TestCertificateAuthority authority = new TestCertificateAuthority("Server Root");
    private final TestCertificateAuthority callerAuthority = new TestCertificateAuthority("Callers Root");
    private final TestCertificateAuthority otherAuthority = new TestCertificateAuthority("Other Root");
    private final CertificateFiles ciCertificate = callerAuthority.issue(
            TestCertificate.of("CN=whatever").subjectAltNames("dns:CI.example").forClients());
    private final CertificateFiles olgaCertificate = callerAuthority.issue("CN=olga");
    private final CertificateFiles unnamedCertificate = callerAuthority.issue("CN=unnamed", "dns:not.example");
    private final CertificateFiles untrustedCertificate = otherAuthority.issue("CN=olga", "dns:ci.example");
    private final Path trustFile = ServerSetup.temporaryDirectory().resolve("callers.pem");
    private final SallyportServer server = ServerSetup.create("mtls")
            .with("sallyport.tls.mode", "mtls")
            .with(
                    "sallyport.tls.keystore",
                    authority
                            .issue("CN=server", "dns:localhost", "ip:127.0.0.1")
                            .store()
                            .toString())
            .with("sallyport.tls.keystore-password", TestCertificate.PASSWORD)
            .with("sallyport.tls.truststore", writeTrustFile(callerAuthority).toString())
            .with(
                    "sallyport.tls.clients",
                    "dns:ci.example=default/submitter, cn:olga=default/operator,cn:olga=default/admin,"
                            + " uri:spiffe://example/bot=acme/submitter, dns:blocked.example=default/submitter")
            .with("sallyport.tls.reload-millis", "200")
            .launch();

    @BeforeAll
    void begin() {
        TlsIT.awaitReady(server, contextWith(unnamedCertificate));
    }

    @AfterAll
    void end() {
        server.close();
        authority.close();
        callerAuthority.close();
        otherAuthority.close();
    }

    private Path writeTrustFile(TestCertificateAuthority whom) {
        try {
            return Files.copy(whom.certificateFile(), trustFile, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private SSLContext contextWith(CertificateFiles certificate) {
        return authority.clientContext(Optional.of(certificate));
    }

    private RestClient api(CertificateFiles certificate) {
        return new RestClient(contextWith(certificate), server.url(), Optional.empty());
    }

    private void assertRefused(SSLContext client) {
        assertThatThrownBy(
                        () -> new RestClient(client, server.url(), Optional.of(server.adminKey())).get("/health/ready"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no answer from")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void clientWithoutCertificateIsRefusedInTheHandshake() {
        assertRefused(authority.clientContext(Optional.empty()));
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefusedInTheHandshake() {
        assertRefused(contextWith(untrustedCertificate));
        // The authority of the service's own certificate is not trusted for client certificates.
        assertRefused(contextWith(authority.issue("CN=ci", "dns:ci.example")));
    }

    @Test
    void expiredCertificateIsRefusedInTheHandshake() {
        assertRefused(contextWith(callerAuthority.issue(
                TestCertificate.of("CN=ci").subjectAltNames("dns:ci.example").expired())));
    }

    @Test
    void serverCertificateIsRefusedInTheHandshake() {
        assertRefused(contextWith(callerAuthority.issue(
                TestCertificate.of("CN=ci").subjectAltNames("dns:ci.example").forServers())));
    }

    @Test
    void certificateIdentifiesTenantAndRoles() {
        RestClient submitter = api(ciCertificate);
        JsonNode execution = submitter.run(SubmissionBody.javascript("return 6 * 7"));

        assertThat(execution.path("result").asInt()).isEqualTo(42);
        assertThat(submitter
                        .post("/api/v1/api-keys", "{\"name\": \"mine\", \"roles\": [\"admin\"]}")
                        .status())
                .isEqualTo(403);
        String id = execution.path("id").asText();
        assertThat(api(callerAuthority.issue("CN=bot", "uri:spiffe://example/bot"))
                        .get(EXECUTIONS + "/" + id)
                        .status())
                .isEqualTo(404);
        RestClient admin = api(olgaCertificate);
        admin.get(EXECUTIONS + "/" + id).expectStatus(200);
        admin.get("/api/v1/api-keys").expectStatus(200);
        assertThat(admin.get("/api/v1/audit?limit=200").expectStatus(200).text())
                .contains("cert:dns:ci.example");
    }

    @Test
    void certificateWithoutConfiguredNameNeedsAKey() {
        RestClient stranger = api(unnamedCertificate);

        assertThat(stranger.get(EXECUTIONS).status()).isEqualTo(401);
        stranger.withKey(server.adminKey()).get(EXECUTIONS).expectStatus(200);
    }

    @Test
    void keyTakesPrecedenceOverTheCertificateEvenIfInvalid() {
        RestClient submitter = api(ciCertificate);

        assertThat(submitter.withKey("sp_wrong").get(EXECUTIONS).status()).isEqualTo(401);
        assertThat(submitter.withKey(server.adminKey()).get("/api/v1/api-keys").status())
                .isEqualTo(200);
    }

    @Test
    void crossOriginRequestsWithABrowserCertificateAreRefused() {
        RestClient submitter = api(ciCertificate);
        String script = SubmissionBody.javascript("return 1").json();

        assertThat(submitter
                        .send(submitter.submissionRequest(script, "Origin", "https://evil.example"))
                        .status())
                .isEqualTo(403);
        assertThat(submitter
                        .send(submitter.submissionRequest(script, "Sec-Fetch-Site", "cross-site"))
                        .status())
                .isEqualTo(403);
        submitter.send(submitter.submissionRequest(script)).expectStatus(202);
    }

    @Test
    void blockedSubjectIsRefusedUntilUnblocked() {
        RestClient admin = api(olgaCertificate);
        RestClient blocked = api(callerAuthority.issue("CN=x", "dns:blocked.example"));
        blocked.get(EXECUTIONS).expectStatus(200);

        String id = admin.post(BLOCKED_SUBJECTS, "{\"issuer\": \"certificate\", \"subject\": \"dns:blocked.example\"}")
                .expectStatus(201)
                .json()
                .path("id")
                .asText();
        Await.until("he is out", TIMEOUT, () -> blocked.get(EXECUTIONS).status() == 401);

        admin.send(admin.request(BLOCKED_SUBJECTS + "/" + id).DELETE()).expectStatus(204);
        Await.until("he is in again", TIMEOUT, () -> blocked.get(EXECUTIONS).status() == 200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void removedAuthorityIsNoLongerTrustedAndSessionsAreNotResumed(String newest) {
        SSLContext first = authority.clientContext(newest, Optional.of(olgaCertificate));
        SSLContext other = contextWith(untrustedCertificate);
        assertRefused(other);
        new RestClient(first, server.url(), Optional.empty())
                .get("/api/v1/api-keys")
                .expectStatus(200);
        try {
            writeTrustFile(otherAuthority);
            Await.until("the other authority is believed", TIMEOUT, () -> accepts(other));
            // The client has kept the TLS session of its first connection.
            Await.until("the first is believed no more", TIMEOUT, () -> !accepts(first));
        } finally {
            writeTrustFile(callerAuthority);
        }
        Await.until("the first is believed again", TIMEOUT, () -> accepts(first));
    }

    private boolean accepts(SSLContext client) {
        try {
            return new RestClient(client, server.url(), Optional.empty())
                            .get("/health/ready")
                            .status()
                    == 200;
        } catch (AssertionError refused) {
            return false;
        }
    }

    @Test
    void commandSendsItsClientCertificate() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "SALLYPORT_URL", server.url().toString(),
                "SALLYPORT_CA_FILE", authority.certificateFile().toString()));

        assertThat(TlsIT.runSallyport(environment, "tools").exitCode()).isEqualTo(5);

        environment.put("SALLYPORT_CLIENT_CERT", ciCertificate.certificate().toString());
        assertThat(TlsIT.runSallyport(environment, "tools").expectExitCode(2).errorOutput())
                .contains("SALLYPORT_CLIENT_KEY");

        environment.put("SALLYPORT_CLIENT_KEY", ciCertificate.key().toString());
        CommandResult command = TlsIT.runSallyport(environment, "tools").expectExitCode(0);
        assertThat(command.output()).contains("demo");
    }
}
