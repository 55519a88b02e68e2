package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestCertificateAuthority;
import org.sallyport.testsupport.CertificateFiles;

/** An external broker and database that accept only TLS and only clients with a certificate of their authority. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExternalServicesTlsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String[] LOCAL_NAMES = {"dns:localhost", "ip:127.0.0.1"};

    private final TestCertificateAuthority serviceAuthority = new TestCertificateAuthority("Services Root");
    private final TestCertificateAuthority firstCallerAuthority = new TestCertificateAuthority("First Callers Root");
    private final TestCertificateAuthority secondCallerAuthority = new TestCertificateAuthority("Second Callers Root");
    private final Path directory = ServerSetup.temporaryDirectory();
    private final Path trustFile = copyFile(firstCallerAuthority.certificateFile(), "callers.crt");
    private final Path trustStore = copyFile(firstCallerAuthority.trustStore(), "callers.p12");
    private final CertificateFiles serverCertificate = firstCallerAuthority.issue("CN=first");
    private final BrokerProcess broker =
            BrokerProcess.startWithTls(serviceAuthority.issue("CN=broker", LOCAL_NAMES), trustStore);
    private final PostgreSql database = PostgreSql.start();

    ExternalServicesTlsIT() {
        database.requireClientCertificates(serviceAuthority.issue("CN=database", LOCAL_NAMES), trustFile);
    }

    @AfterAll
    void end() {
        broker.close();
        database.close();
        serviceAuthority.close();
        firstCallerAuthority.close();
        secondCallerAuthority.close();
    }

    private Path copyFile(Path file, String name) {
        try {
            return Files.copy(file, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private ServerSetup setup(String name) {
        ServerSetup setup = broker.configure(database.configureWithTls(ServerSetup.create(name)))
                .with("sallyport.tls.reload-millis", "200");
        for (String service : new String[] {"db", "broker"}) {
            String prefix = "sallyport." + service + ".tls.";
            setup = setup.with(prefix + "mode", "mtls")
                    .with(prefix + "ca-file", serviceAuthority.certificateFile().toString())
                    .with(
                            prefix + "certificate",
                            serverCertificate.certificate().toString())
                    .with(prefix + "key", serverCertificate.key().toString());
        }
        return setup;
    }

    private static void assertScriptRuns(RestClient api) {
        JsonNode execution = api.run(SubmissionBody.javascript("return demo.add({ a: 20, b: 22 });"));

        assertThat(execution.path("result").asInt())
                .describedAs(execution.toString())
                .isEqualTo(42);
    }

    @Test
    void scriptsRunAndRenewedCertificatesAreUsedWithoutARestart() {
        try (SallyportServer server = setup("tls-services").start()) {
            assertScriptRuns(server.api());
            assertThat(connectedCertificates()).contains("CN=first").doesNotContain("clear");
            long pid = server.pid();

            // From now on the services refuse a client that presents only the first certificate.
            secondCallerAuthority.issue("CN=second").replace(serverCertificate);
            copyFile(secondCallerAuthority.certificateFile(), "callers.crt");
            copyFile(secondCallerAuthority.trustStore(), "callers.p12");
            broker.kill();
            database.stop();
            database.startProcess();
            broker.startProcess();

            Await.until(
                    "the server is ready again",
                    TIMEOUT,
                    () -> server.api().get("/health/ready").status() == 200);
            assertScriptRuns(server.api());
            assertThat(connectedCertificates()).contains("CN=second").doesNotContain("CN=first", "clear");
            assertThat(server.pid()).isEqualTo(pid);
            assertThat(server.logText())
                    .contains("loaded renewed files: certificate of CN=second")
                    .doesNotContain(PostgreSql.PASSWORD, BrokerProcess.PASSWORD, "PRIVATE KEY");
        }
    }

    /** The certificate names of the clients that are now connected to the database. */
    private String connectedCertificates() {
        return database.queryText(
                "select string_agg(distinct coalesce(client_dn, 'clear'), ',') from pg_stat_ssl join pg_stat_activity "
                        + "using"
                        + " (pid) where usename = ?",
                "guarded");
    }

    @ParameterizedTest
    @CsvSource({
        "sallyport.broker.tls.ca-file, stranger, sallyport.broker.tls.ca-file: the certificate of the broker was not "
                + "issued by an authority",
        "sallyport.broker.tls.server-name, broker.example, sallyport.broker.url: the certificate of the broker is for "
                + "another name",
        "sallyport.broker.tls.key, /nowhere, sallyport.broker.tls.key '/nowhere': there is no such file",
        "sallyport.db.tls.ca-file, stranger, sallyport.db.tls.ca-file: the certificate of the database was not issued "
                + "by an authority",
        "sallyport.db.tls.certificate, /nowhere, sallyport.db.tls.certificate '/nowhere': there is no such file",
    })
    void invalidTlsSettingIsRefusedAtStart(String setting, String value, String said) {
        String set = value.equals("stranger")
                ? firstCallerAuthority.certificateFile().toString()
                : value;
        try (SallyportServer server = setup("tls-refused").with(setting, set).launch()) {
            Await.until(
                    "the server has come as far as it can",
                    Duration.ofSeconds(180),
                    () -> server.logText().contains(" ready in ") || !server.isAlive());
            assertThat(server.logText())
                    .contains(said)
                    .doesNotContain(PostgreSql.PASSWORD, BrokerProcess.PASSWORD, "PRIVATE KEY");
            assertThat(isReady(server)).isFalse();
        }
    }

    private static boolean isReady(SallyportServer server) {
        try {
            return server.api().withoutKey().get("/health/ready").status() == 200;
        } catch (AssertionError nobodyThere) {
            return false;
        }
    }
}
