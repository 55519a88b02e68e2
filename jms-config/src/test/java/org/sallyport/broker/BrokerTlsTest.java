package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TestCertificate;

/** How an external broker is reached by TLS: with a real one in a process of its own. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerTlsTest {
    private static final String ACCOUNT = "open-sesame";
    private static final long PATIENCE_MILLIS = 20_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles shown;

    @SuppressWarnings("NullAway.Init")
    private Path trusted;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles own;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles other;

    private final List<Process> brokers = new ArrayList<>();

    private final int port = freePort();
    private final int asking = freePort();
    private final int clear = freePort();

    @BeforeAll
    void start() throws Exception {
        TestCertificate server =
                TestCertificate.of("CN=broker").names("dns:localhost").selfSigned();
        shown = server.write(directory, "broker");
        trusted = TestCertificate.store(server.trustStore(), directory.resolve("broker.trust.p12"));
        TestCertificate client =
                TestCertificate.of("CN=own").names("dns:own.example").selfSigned();
        own = client.write(directory, "own");
        Path clients = TestCertificate.store(client.trustStore(), directory.resolve("own.trust.p12"));
        other = TestCertificate.of("CN=other")
                .names("dns:localhost")
                .selfSigned()
                .write(directory, "other");
        String tls = ";sslEnabled=true;keyStoreType=PKCS12;keyStorePath=" + shown.store() + ";keyStorePassword="
                + TestCertificate.PASSWORD;
        Map<Integer, String> acceptors = Map.of(
                port,
                tls,
                asking,
                tls + ";needClientAuth=true;trustStoreType=PKCS12;trustStorePath=" + clients + ";trustStorePassword="
                        + TestCertificate.PASSWORD,
                clear,
                "");
        for (Map.Entry<Integer, String> acceptor : acceptors.entrySet()) {
            brokers.add(broker(acceptor.getKey(), acceptor.getValue()));
        }
        for (Process broker : brokers) {
            BufferedReader said = broker.inputReader();
            for (String line = said.readLine(); !ExternalBroker.READY.equals(line); line = said.readLine()) {
                assertThat(line).describedAs("said before it was ready").isNotNull();
            }
        }
    }

    private static Process broker(int where, String parameters) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-Dsallyport.broker.data=" + directory.resolve("data-" + where),
                        "-Dsallyport.broker.user=ann",
                        "-Dsallyport.broker.password=" + ACCOUNT,
                        "-Dsallyport.broker.acceptor=tcp://127.0.0.1:" + where + "?protocols=CORE" + parameters,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExternalBroker.class.getName())
                .redirectError(directory.resolve("broker-" + where + ".log").toFile())
                .start();
    }

    @AfterAll
    void stop() throws InterruptedException {
        for (Process broker : brokers) {
            broker.destroy();
            assertThat(broker.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    @AfterEach
    void forget() {
        BrokerTls.use(Optional.empty());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String at(int where) {
        return "tcp://localhost:" + where;
    }

    /** As the resource adapter begins. */
    private static ExternalConnection begin(String url, String... pairs) {
        Map<String, String> settings = new HashMap<>();
        settings.put("SALLYPORT_BROKER_URL", url);
        settings.put("SALLYPORT_BROKER_USER", "ann");
        settings.put("SALLYPORT_BROKER_PASSWORD", ACCOUNT);
        settings.put("SALLYPORT_TLS_RELOAD_MILLIS", "100");
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put("SALLYPORT_BROKER_TLS_" + pairs[i], pairs[i + 1]);
        }
        BrokerSettings read = BrokerSettings.from(new Properties(), settings);
        BrokerTls.use(read.tls());
        ExternalConnection connection = ExternalConnection.of(read);
        FirstContact.with(connection);
        return connection;
    }

    private static void refused(String because, String url, String... pairs) {
        assertThatThrownBy(() -> begin(url, pairs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(because)
                .hasMessageNotContaining(ACCOUNT);
    }

    private ExternalConnection showing(CertificateFiles mine, int where) {
        return begin(
                at(where),
                "MODE",
                "mtls",
                "CA_FILE",
                shown.certificate().toString(),
                "CERTIFICATE",
                mine.certificate().toString(),
                "KEY",
                mine.key().toString());
    }

    /** A message there and back by a connection of its own. */
    private static String carried(ExternalConnection connection, String text) {
        TransportConfiguration connector = connection.connectors().get(0);
        try (var factory = new ActiveMQConnectionFactory(false, connector);
                JMSContext context = factory.createContext("ann", ACCOUNT);
                JMSConsumer consumer = context.createConsumer(context.createQueue("sallyport.tool.trial"))) {
            context.createProducer().send(context.createQueue("sallyport.tool.trial"), text);
            return consumer.receiveBody(String.class, PATIENCE_MILLIS);
        }
    }

    @Test
    void aBrokerOfTheNamedAuthorityIsSpokenTo() {
        ExternalConnection connection =
                begin(at(port), "MODE", "tls", "CA_FILE", shown.certificate().toString());

        assertThat(carried(connection, "over TLS")).isEqualTo("over TLS");
        var adapter = new SallyportResourceAdapter();
        connection.configure(adapter);
        assertThat(adapter.getConnectionParameters()).contains("sslEnabled=true", "verifyHost=true");
    }

    @Test
    void aBrokerOfAnotherIsNot() {
        refused(
                "sallyport.broker.tls.ca-file: the certificate of the broker comes from no authority in this file",
                at(port),
                "MODE",
                "tls",
                "CA_FILE",
                other.certificate().toString());
        refused("comes from no authority that Java trusts", at(port), "MODE", "tls");
    }

    @Test
    void aBrokerOfAnotherNameIsNotUnlessThatIsExpected() {
        String elsewhere = "tcp://127.0.0.1:" + port;
        String authority = shown.certificate().toString();
        refused(
                "sallyport.broker.url: the certificate of the broker is for another name",
                elsewhere,
                "MODE",
                "tls",
                "CA_FILE",
                authority);
        refused("broker.example", at(port), "MODE", "tls", "CA_FILE", authority, "SERVER_NAME", "broker.example");
        assertThat(carried(
                        begin(elsewhere, "MODE", "tls", "CA_FILE", authority, "SERVER_NAME", "localhost"),
                        "by its name"))
                .isEqualTo("by its name");
    }

    @Test
    void whoAsksForACertificateIsShownOneAndNobodyComesWithout() {
        refused(
                "sallyport.broker.tls.mode: the broker ",
                at(asking),
                "MODE",
                "tls",
                "CA_FILE",
                shown.certificate().toString());
        assertThatThrownBy(() -> showing(other, asking))
                .hasMessageContaining("sallyport.broker.tls.certificate: the broker ")
                .hasMessageNotContaining(ACCOUNT);
        assertThat(carried(showing(own, asking), "with a certificate")).isEqualTo("with a certificate");
    }

    @Test
    void inTheClearAndByTlsDoNotMeet() {
        refused("sallyport.broker.tls.mode: the broker at localhost:" + port + " speaks TLS", at(port));
        refused("sallyport.broker.tls.mode: the broker at localhost:" + asking + " speaks TLS", at(asking));
        refused(
                "sallyport.broker.tls.mode: the broker at localhost:" + clear + " speaks in the clear, and not TLS",
                at(clear),
                "MODE",
                "tls",
                "CA_FILE",
                shown.certificate().toString());
        assertThat(carried(begin(at(clear)), "in the clear")).isEqualTo("in the clear");
    }

    @Test
    void anAddressMayStillSayItAll() {
        ExternalConnection connection = begin(at(port) + "?sslEnabled=true;trustStoreType=PKCS12;trustStorePath="
                + trusted + ";trustStorePassword=" + TestCertificate.PASSWORD);

        assertThat(carried(connection, "as the address says")).isEqualTo("as the address says");
    }

    @Test
    void aBrokerThatIsAwayOrKnowsAnotherPasswordIsNoReasonNotToStart() {
        assertThatCode(() -> begin(at(freePort()))).doesNotThrowAnyException();
        assertThatCode(() -> begin(
                        at(freePort()),
                        "MODE",
                        "tls",
                        "CA_FILE",
                        shown.certificate().toString()))
                .doesNotThrowAnyException();
        Map<String, String> guessed = Map.of(
                "SALLYPORT_BROKER_URL",
                at(clear),
                "SALLYPORT_BROKER_USER",
                "ann",
                "SALLYPORT_BROKER_PASSWORD",
                "guessed");
        assertThatCode(() -> FirstContact.with(ExternalConnection.of(BrokerSettings.from(new Properties(), guessed))))
                .doesNotThrowAnyException();
    }

    @Test
    void aBrokerThatIsAwayBehindAProxyStopsNothing() throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> {
                while (!proxy.isClosed()) {
                    try {
                        proxy.accept().close();
                    } catch (IOException e) {
                        return; // it was closed
                    }
                }
            });
            closing.setDaemon(true);
            closing.start();
            assertThatCode(() -> begin(
                            at(proxy.getLocalPort()),
                            "MODE",
                            "tls",
                            "CA_FILE",
                            shown.certificate().toString()))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void ofAGroupOneIsEnough() {
        String group = "(" + at(freePort()) + "," + at(port) + ")?ha=true";

        assertThatCode(() -> begin(
                        group, "MODE", "tls", "CA_FILE", shown.certificate().toString()))
                .doesNotThrowAnyException();
        refused(
                "comes from no authority in this file",
                group,
                "MODE",
                "tls",
                "CA_FILE",
                other.certificate().toString());
    }

    @Test
    void renewedFilesHoldForNewConnections() throws Exception {
        Path authorities = directory.resolve("renewed-ca.crt");
        Files.writeString(authorities, Files.readString(shown.certificate()));
        ExternalConnection connection = begin(at(port), "MODE", "tls", "CA_FILE", authorities.toString());
        assertThat(carried(connection, "before")).isEqualTo("before");

        Files.writeString(authorities, Files.readString(other.certificate()));
        until(() -> !carries(connection));
        Files.writeString(authorities, Files.readString(shown.certificate()));
        until(() -> carries(connection));
    }

    private static boolean carries(ExternalConnection connection) {
        try {
            return carried(connection, "renewed").equals("renewed");
        } catch (JMSRuntimeException e) {
            return false;
        }
    }

    private static void until(java.util.function.BooleanSupplier holds) {
        long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(patience);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sslEnabled=false",
                "verifyHost=false",
                "trustAll=true",
                "sslProvider=OPENSSL",
                "trustStorePath=/x",
                "keyStorePassword=open-sesame",
                "sniHost=x",
                "useDefaultSslContext=true"
            })
    void anAddressThatSaysSomethingElseIsRefused(String parameter) {
        refused(
                "sallyport.broker.url says " + parameter.substring(0, parameter.indexOf('=')),
                at(port) + "?" + parameter,
                "MODE",
                "tls",
                "CA_FILE",
                shown.certificate().toString());
    }

    @Test
    void whatCannotBeNamesItsSetting() {
        refused(
                "sallyport.broker.tls.ca-file '/nowhere': there is no such file",
                at(port),
                "MODE",
                "tls",
                "CA_FILE",
                "/nowhere");
        refused("sallyport.broker.tls.key: is of no use while", at(port), "KEY", "/x");
        refused("is for an external broker", " ", "MODE", "tls");
    }
}
