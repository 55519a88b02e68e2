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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Authority;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TestCertificate;

/** A service that asks callers for a certificate: whom it lets in, and whom their certificates stand for. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutualTlsIT {
    private static final String EXECUTIONS = "/api/v1/executions";
    private static final String BLOCKED = "/api/v1/blocked-subjects";
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Authority authority = new Authority("Server Root");
    private final Authority callers = new Authority("Callers Root");
    private final Authority others = new Authority("Other Root");
    private final CertificateFiles ci = callers.issue(
            TestCertificate.of("CN=whatever").names("dns:CI.example").forClients());
    private final CertificateFiles olga = callers.issue("CN=olga");
    private final CertificateFiles unnamed = callers.issue("CN=unnamed", "dns:not.example");
    private final CertificateFiles untrusted = others.issue("CN=olga", "dns:ci.example");
    private final Path trusted = ServerSetup.temporaryDirectory().resolve("callers.pem");
    private final SallyportServer server = ServerSetup.fresh("mtls")
            .with("sallyport.tls.mode", "mtls")
            .with(
                    "sallyport.tls.keystore",
                    authority
                            .issue("CN=server", "dns:localhost", "ip:127.0.0.1")
                            .store()
                            .toString())
            .with("sallyport.tls.keystore-password", TestCertificate.PASSWORD)
            .with("sallyport.tls.truststore", trust(callers).toString())
            .with(
                    "sallyport.tls.clients",
                    "dns:ci.example=default/submitter, cn:olga=default/operator,cn:olga=default/admin,"
                            + " uri:spiffe://example/bot=acme/submitter, dns:blocked.example=default/submitter")
            .with("sallyport.tls.reload-millis", "200")
            .launch();

    @BeforeAll
    void begin() {
        TlsIT.awaitReady(server, with(unnamed));
    }

    @AfterAll
    void end() {
        server.close();
        authority.close();
        callers.close();
        others.close();
    }

    private Path trust(Authority whom) {
        try {
            return Files.copy(whom.file(), trusted, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private SSLContext with(CertificateFiles certificate) {
        return authority.client(Optional.of(certificate));
    }

    private Api api(CertificateFiles certificate) {
        return new Api(with(certificate), server.url(), Optional.empty());
    }

    private void refuses(SSLContext client) {
        assertThatThrownBy(() -> new Api(client, server.url(), Optional.of(server.adminKey())).get("/health/ready"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no answer from")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void whoShowsNoCertificateIsRefusedInTheHandshake() {
        refuses(authority.client(Optional.empty()));
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefusedInTheHandshake() {
        refuses(with(untrusted));
        // That of the service itself says nothing of callers.
        refuses(with(authority.issue("CN=ci", "dns:ci.example")));
    }

    @Test
    void aCertificateThatIsOverIsRefusedInTheHandshake() {
        refuses(with(callers.issue(
                TestCertificate.of("CN=ci").names("dns:ci.example").expired())));
    }

    @Test
    void aCertificateForServersIsRefusedInTheHandshake() {
        refuses(with(callers.issue(
                TestCertificate.of("CN=ci").names("dns:ci.example").forServers())));
    }

    @Test
    void aCertificateStandsForTenantAndRoles() {
        Api submitter = api(ci);
        JsonNode execution = submitter.run(Submission.javascript("return 6 * 7"));

        assertThat(execution.path("result").asInt()).isEqualTo(42);
        assertThat(submitter
                        .post("/api/v1/api-keys", "{\"name\": \"mine\", \"roles\": [\"admin\"]}")
                        .status())
                .isEqualTo(403);
        String id = execution.path("id").asText();
        assertThat(api(callers.issue("CN=bot", "uri:spiffe://example/bot"))
                        .get(EXECUTIONS + "/" + id)
                        .status())
                .isEqualTo(404);
        Api admin = api(olga);
        admin.get(EXECUTIONS + "/" + id).expect(200);
        admin.get("/api/v1/api-keys").expect(200);
        assertThat(admin.get("/api/v1/audit?limit=200").expect(200).text()).contains("cert:dns:ci.example");
    }

    @Test
    void whoIsNotNamedNeedsAKey() {
        Api stranger = api(unnamed);

        assertThat(stranger.get(EXECUTIONS).status()).isEqualTo(401);
        stranger.as(server.adminKey()).get(EXECUTIONS).expect(200);
    }

    @Test
    void aKeyGoesBeforeTheCertificateAlsoWhenItIsWrong() {
        Api submitter = api(ci);

        assertThat(submitter.as("sp_wrong").get(EXECUTIONS).status()).isEqualTo(401);
        assertThat(submitter.as(server.adminKey()).get("/api/v1/api-keys").status())
                .isEqualTo(200);
    }

    @Test
    void pagesOfOtherOriginsGetNothingByTheCertificateOfABrowser() {
        Api submitter = api(ci);
        String script = Submission.javascript("return 1").json();

        assertThat(submitter
                        .send(submitter.submission(script, "Origin", "https://evil.example"))
                        .status())
                .isEqualTo(403);
        assertThat(submitter
                        .send(submitter.submission(script, "Sec-Fetch-Site", "cross-site"))
                        .status())
                .isEqualTo(403);
        submitter.send(submitter.submission(script)).expect(202);
    }

    @Test
    void aBlockedNameIsNobody() {
        Api admin = api(olga);
        Api blocked = api(callers.issue("CN=x", "dns:blocked.example"));
        blocked.get(EXECUTIONS).expect(200);

        String id = admin.post(BLOCKED, "{\"issuer\": \"certificate\", \"subject\": \"dns:blocked.example\"}")
                .expect(201)
                .json()
                .path("id")
                .asText();
        Await.until("he is out", SOON, () -> blocked.get(EXECUTIONS).status() == 401);

        admin.send(admin.request(BLOCKED + "/" + id).DELETE()).expect(204);
        Await.until("he is in again", SOON, () -> blocked.get(EXECUTIONS).status() == 200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anAuthorityThatIsTakenOutIsBelievedNoMoreAndNoSessionIsResumed(String newest) {
        SSLContext first = authority.client(newest, Optional.of(olga));
        SSLContext other = with(untrusted);
        refuses(other);
        new Api(first, server.url(), Optional.empty()).get("/api/v1/api-keys").expect(200);
        try {
            trust(others);
            Await.until("the other authority is believed", SOON, () -> accepts(other));
            // The client has kept the session of its first connection.
            Await.until("the first is believed no more", SOON, () -> !accepts(first));
        } finally {
            trust(callers);
        }
        Await.until("the first is believed again", SOON, () -> accepts(first));
    }

    private boolean accepts(SSLContext client) {
        try {
            return new Api(client, server.url(), Optional.empty())
                            .get("/health/ready")
                            .status()
                    == 200;
        } catch (AssertionError refused) {
            return false;
        }
    }

    @Test
    void theCommandShowsItsCertificate() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "SALLYPORT_URL", server.url().toString(),
                "SALLYPORT_CA_FILE", authority.file().toString()));

        assertThat(TlsIT.sallyport(environment, "tools").exit()).isEqualTo(5);

        environment.put("SALLYPORT_CLIENT_CERT", ci.certificate().toString());
        assertThat(TlsIT.sallyport(environment, "tools").expect(2).err()).contains("SALLYPORT_CLIENT_KEY");

        environment.put("SALLYPORT_CLIENT_KEY", ci.key().toString());
        Command command = TlsIT.sallyport(environment, "tools").expect(0);
        assertThat(command.out()).contains("demo");
    }
}
