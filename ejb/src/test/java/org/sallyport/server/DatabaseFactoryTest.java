package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.store.jpa.Database;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TestCertificate;

/**
 * TLS connections to a real PostgreSQL that accepts its two users only over TLS, and one of them only with a client
 * certificate.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseFactoryTest {
    private static final String PASSWORD = "open-sesame";
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String[] HERE = {"dns:localhost", "ip:127.0.0.1"};

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private EmbeddedPostgres server;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles shown;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles own;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles other;

    @BeforeAll
    void start() throws Exception {
        shown = certificate("server", "dns:localhost");
        own = certificate("own", HERE);
        other = certificate("other", HERE);
        copy(own.certificate(), directory.resolve("callers.crt"));
        server = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .start();
        Files.writeString(directory.resolve("data/pg_hba.conf"), """
                local all all trust
                host all postgres all trust
                hostssl all asked all scram-sha-256 clientcert=verify-ca
                hostssl all unasked all scram-sha-256
                """);
        for (String user : new String[] {"asked", "unasked"}) {
            sql("create role " + user + " login password '" + PASSWORD + "'");
            sql("create database " + user + " owner " + user);
        }
        sql("alter system set ssl_cert_file = '" + shown.certificate() + "'");
        sql("alter system set ssl_key_file = '" + shown.key() + "'");
        sql("alter system set ssl_ca_file = '" + directory.resolve("callers.crt") + "'");
        speaksTls("on");
    }

    private static CertificateFiles certificate(String name, String... names) {
        return TestCertificate.of("CN=" + name)
                .subjectAltNames(names)
                .selfSigned()
                .write(directory, name);
    }

    /** Switches TLS on or off. The server applies new settings shortly after the reload. */
    private void speaksTls(String whether) throws Exception {
        sql("alter system set ssl = " + whether);
        sql("select pg_reload_conf()");
        ConcurrencyTestUtil.awaitCondition(SOON, () -> text("show ssl").equals(whether));
    }

    @AfterAll
    void stop() throws IOException {
        server.close();
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }

    private String text(String query) {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement sql = connection.createStatement();
                ResultSet row = sql.executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The TLS protocols and client certificates of the pool's connections. */
    private String connected(String user) {
        return text(
                "select string_agg(distinct coalesce(version, 'clear') || ' ' || coalesce(client_dn, 'nobody'), ', ')"
                        + " from pg_stat_ssl join pg_stat_activity using (pid) where usename = '" + user + "'");
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private Map<String, String> settings(String user, String... pairs) {
        Map<String, String> settings = new HashMap<>();
        settings.put("sallyport.db.url", "jdbc:postgresql://localhost:" + server.getPort() + "/" + user);
        settings.put("sallyport.db.user", user);
        settings.put("sallyport.db.password", PASSWORD);
        settings.put("sallyport.tls.reload-millis", "100");
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put("sallyport.db." + pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    private static Database open(Map<String, String> settings) {
        return DatabaseFactory.open(Configuration.read(settings, Map.of()), directory, InstantSource.system());
    }

    private static void refused(Class<? extends Exception> kind, String because, Map<String, String> settings) {
        assertThatThrownBy(() -> open(settings).close())
                .isInstanceOf(kind)
                .hasMessageContaining(because)
                .hasMessageNotContaining(PASSWORD);
    }

    private Map<String, String> trusting(CertificateFiles whom, String... more) {
        Map<String, String> settings = settings("unasked", more);
        settings.put("sallyport.db.tls.mode", "tls");
        settings.put("sallyport.db.tls.ca-file", whom.certificate().toString());
        return settings;
    }

    @Test
    void remoteDatabaseWithoutVerifiedTlsIsInsecure() {
        assertThat(Stream.of(
                                "",
                                "jdbc:h2:file:./data/db",
                                "jdbc:postgresql://localhost/db",
                                "jdbc:postgresql://127.0.0.1:5432/db?user=a",
                                "jdbc:postgresql://[::1]:5432/db",
                                "jdbc:postgresql://db.example/db?sslmode=verify-full")
                        .filter(DatabaseFactory::isInsecureRemote))
                .isEmpty();
        assertThat(Stream.of(
                                "jdbc:postgresql://db.example/db",
                                "jdbc:postgresql://localhost:5432,db.example:5432/db",
                                "jdbc:postgresql://db.example/db?sslmode=require")
                        .filter(url -> !DatabaseFactory.isInsecureRemote(url)))
                .isEmpty();
    }

    @Test
    void databaseWithACertificateOfTheConfiguredAuthorityIsAccepted() {
        try (Database database = open(trusting(shown))) {
            database.ping();
            assertThat(connected("unasked")).isEqualTo("TLSv1.3 nobody");
        }
    }

    @Test
    void databaseWithACertificateOfAnotherAuthorityIsRefused() {
        refused(
                StoreUnavailableException.class,
                "sallyport.db.tls.ca-file: the certificate of the database was not issued by an authority in this file",
                trusting(other));
    }

    @Tag("slow")
    @Test
    void databaseWithAnotherHostNameIsRefusedUnlessConfigured() {
        refused(
                StoreUnavailableException.class,
                "sallyport.db.url: the certificate of the database is for another name",
                trusting(shown, "url", "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/unasked"));
        refused(StoreUnavailableException.class, "db.example", trusting(shown, "tls.server-name", "db.example"));
        try (Database database = open(trusting(
                shown,
                "url",
                "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/unasked",
                "tls.server-name",
                "localhost"))) {
            database.ping();
        }
    }

    @Test
    void databaseThatRequiresTlsRefusesAPlaintextConnection() {
        refused(
                StoreUnavailableException.class,
                "no encryption",
                settings(
                        "unasked",
                        "url",
                        "jdbc:postgresql://localhost:" + server.getPort() + "/unasked?sslmode=disable"));
    }

    @Tag("slow")
    @Test
    void databaseWithoutTlsIsRefused() throws Exception {
        speaksTls("off");
        try {
            refused(
                    StoreUnavailableException.class,
                    "sallyport.db.tls.mode: the database does not speak TLS",
                    trusting(shown));
        } finally {
            speaksTls("on");
        }
    }

    @Test
    void databaseThatRequiresAClientCertificateReceivesIt() {
        Map<String, String> without = settings(
                "asked", "tls.mode", "tls", "tls.ca-file", shown.certificate().toString());
        refused(StoreUnavailableException.class, "certificate", without);
        refused(
                StoreUnavailableException.class,
                "sallyport.db.tls.certificate: the database ",
                showing(other.certificate(), other.key(), shown.certificate()));
        try (Database database = open(showing(own.certificate(), own.key(), shown.certificate()))) {
            database.ping();
            assertThat(connected("asked")).isEqualTo("TLSv1.3 /CN=own");
        }
    }

    private Map<String, String> showing(Path certificate, Path key, Path authorities) {
        return settings(
                "asked",
                "tls.mode",
                "mtls",
                "tls.ca-file",
                authorities.toString(),
                "tls.certificate",
                certificate.toString(),
                "tls.key",
                key.toString());
    }

    @Tag("slow")
    @Test
    void renewedFilesApplyToNewConnections() throws Exception {
        Path certificate = directory.resolve("renewed.crt");
        Path key = directory.resolve("renewed.key");
        copy(own.certificate(), certificate);
        copy(own.key(), key);
        CertificateFiles second = certificate("second", HERE);
        try (Database database = open(showing(certificate, key, shown.certificate()))) {
            database.ping();
            assertThat(connected("asked")).isEqualTo("TLSv1.3 /CN=own");

            Files.writeString(
                    directory.resolve("callers.crt"),
                    Files.readString(own.certificate()) + Files.readString(second.certificate()));
            copy(second.certificate(), certificate);
            copy(second.key(), key);
            sql("select pg_reload_conf()");

            ConcurrencyTestUtil.awaitCondition(SOON, () -> {
                text("select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'asked'");
                return answers(database) && connected("asked").equals("TLSv1.3 /CN=second");
            });
        }
    }

    private static boolean answers(Database database) {
        try {
            database.ping();
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslmode=require", "ssl=false", "sslrootcert=/x", "gssEncMode=require", "sslfactory=x"})
    void urlParameterThatContradictsTheTlsSettingsIsRefused(String parameter) {
        refused(
                IllegalArgumentException.class,
                "the database URL has the parameter " + parameter.substring(0, parameter.indexOf('=')),
                trusting(shown, "url", "jdbc:postgresql://localhost:" + server.getPort() + "/unasked?" + parameter));
    }

    @Test
    void invalidTlsSettingIsReportedBeforeConnecting() {
        refused(
                InvalidConfigurationException.class,
                "sallyport.db.tls.ca-file '/nowhere': there is no such file",
                settings("unasked", "tls.mode", "tls", "tls.ca-file", "/nowhere"));
        refused(
                InvalidConfigurationException.class,
                "sallyport.db.tls.mode: is for PostgreSQL",
                settings("unasked", "tls.mode", "tls", "url", ""));
        refused(
                InvalidConfigurationException.class,
                "sallyport.db.tls.key: must not be set while sallyport.db.tls.mode is insecure",
                settings("unasked", "tls.key", "/x"));
    }
}
