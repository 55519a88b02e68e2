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

/** Tests TLS connections to a real external broker in a separate process. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerTlsTest {
    private static final String PASSWORD = "open-sesame";
    private static final long TIMEOUT_MILLIS = 20_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles serverFiles;

    @SuppressWarnings("NullAway.Init")
    private Path trustStore;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles clientFiles;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles otherFiles;

    private final List<Process> brokers = new ArrayList<>();

    private final int tlsPort = freePort();
    private final int clientAuthPort = freePort();
    private final int plainPort = freePort();

    @BeforeAll
    void start() throws Exception {
        TestCertificate server =
                TestCertificate.of("CN=broker").subjectAltNames("dns:localhost").selfSigned();
        serverFiles = server.write(directory, "broker");
        trustStore = TestCertificate.store(server.trustStore(), directory.resolve("broker.trust.p12"));
        TestCertificate client =
                TestCertificate.of("CN=own").subjectAltNames("dns:own.example").selfSigned();
        clientFiles = client.write(directory, "own");
        Path clients = TestCertificate.store(client.trustStore(), directory.resolve("own.trust.p12"));
        otherFiles = TestCertificate.of("CN=other")
                .subjectAltNames("dns:localhost")
                .selfSigned()
                .write(directory, "other");
        String tls = ";sslEnabled=true;keyStoreType=PKCS12;keyStorePath=" + serverFiles.store() + ";keyStorePassword="
                + TestCertificate.PASSWORD;
        Map<Integer, String> acceptors = Map.of(
                tlsPort,
                tls,
                clientAuthPort,
                tls + ";needClientAuth=true;trustStoreType=PKCS12;trustStorePath=" + clients + ";trustStorePassword="
                        + TestCertificate.PASSWORD,
                plainPort,
                "");
        for (Map.Entry<Integer, String> acceptor : acceptors.entrySet()) {
            brokers.add(startBroker(acceptor.getKey(), acceptor.getValue()));
        }
        for (Process broker : brokers) {
            BufferedReader said = broker.inputReader();
            for (String line = said.readLine(); !ExternalBroker.READY.equals(line); line = said.readLine()) {
                assertThat(line).describedAs("said before it was ready").isNotNull();
            }
        }
    }

    private static Process startBroker(int where, String parameters) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dsallyport.broker.data=" + directory.resolve("data-" + where),
                        "-Dsallyport.broker.user=ann",
                        "-Dsallyport.broker.password=" + PASSWORD,
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
            assertThat(broker.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    @AfterEach
    void forget() {
        BrokerTls.configure(Optional.empty());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String urlOf(int where) {
        return "tcp://localhost:" + where;
    }

    /** Reads and checks the settings as the resource adapter does at its start. */
    private static BrokerUrl checkedUrl(String url, String... pairs) {
        Map<String, String> settings = new HashMap<>();
        settings.put("SALLYPORT_BROKER_URL", url);
        settings.put("SALLYPORT_BROKER_USER", "ann");
        settings.put("SALLYPORT_BROKER_PASSWORD", PASSWORD);
        settings.put("SALLYPORT_TLS_RELOAD_MILLIS", "100");
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put("SALLYPORT_BROKER_TLS_" + pairs[i], pairs[i + 1]);
        }
        BrokerSettings read = BrokerSettings.from(new Properties(), settings);
        BrokerTls.configure(read.tls());
        BrokerUrl connection = BrokerUrl.of(read);
        BrokerConnectionCheck.check(connection);
        return connection;
    }

    private static void assertRejected(String because, String url, String... pairs) {
        assertThatThrownBy(() -> checkedUrl(url, pairs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(because)
                .hasMessageNotContaining(PASSWORD);
    }

    private BrokerUrl checkedWithCertificate(CertificateFiles mine, int where) {
        return checkedUrl(
                urlOf(where),
                "MODE",
                "mtls",
                "CA_FILE",
                serverFiles.certificate().toString(),
                "CERTIFICATE",
                mine.certificate().toString(),
                "KEY",
                mine.key().toString());
    }

    /** Sends a message to a queue and receives it, on one new connection. */
    private static String sendAndReceive(BrokerUrl connection, String text) {
        TransportConfiguration connector = connection.connectors().get(0);
        try (var factory = new ActiveMQConnectionFactory(false, connector);
                JMSContext context = factory.createContext("ann", PASSWORD);
                JMSConsumer consumer = context.createConsumer(context.createQueue("sallyport.tool.trial"))) {
            context.createProducer().send(context.createQueue("sallyport.tool.trial"), text);
            return consumer.receiveBody(String.class, TIMEOUT_MILLIS);
        }
    }

    @Test
    void brokerWithACertificateOfTheConfiguredAuthorityIsAccepted() {
        BrokerUrl connection = checkedUrl(
                urlOf(tlsPort),
                "MODE",
                "tls",
                "CA_FILE",
                serverFiles.certificate().toString());

        assertThat(sendAndReceive(connection, "over TLS")).isEqualTo("over TLS");
        var adapter = new SallyportResourceAdapter();
        connection.configure(adapter);
        assertThat(adapter.getConnectionParameters()).contains("sslEnabled=true", "verifyHost=true");
    }

    @Test
    void brokerWithACertificateOfAnotherAuthorityIsRefused() {
        assertRejected(
                "sallyport.broker.tls.ca-file: the certificate of the broker was not issued by an authority in this"
                        + " file",
                urlOf(tlsPort),
                "MODE",
                "tls",
                "CA_FILE",
                otherFiles.certificate().toString());
        assertRejected("was not issued by an authority that Java trusts", urlOf(tlsPort), "MODE", "tls");
    }

    @Test
    void brokerWithAnotherHostNameIsRefusedUnlessConfigured() {
        String elsewhere = "tcp://127.0.0.1:" + tlsPort;
        String authority = serverFiles.certificate().toString();
        assertRejected(
                "sallyport.broker.url: the certificate of the broker is for another name",
                elsewhere,
                "MODE",
                "tls",
                "CA_FILE",
                authority);
        assertRejected(
                "broker.example", urlOf(tlsPort), "MODE", "tls", "CA_FILE", authority, "SERVER_NAME", "broker.example");
        assertThat(sendAndReceive(
                        checkedUrl(elsewhere, "MODE", "tls", "CA_FILE", authority, "SERVER_NAME", "localhost"),
                        "by its name"))
                .isEqualTo("by its name");
    }

    @Test
    void brokerThatRequiresAClientCertificateReceivesIt() {
        assertRejected(
                "sallyport.broker.tls.mode: the broker ",
                urlOf(clientAuthPort),
                "MODE",
                "tls",
                "CA_FILE",
                serverFiles.certificate().toString());
        assertThatThrownBy(() -> checkedWithCertificate(otherFiles, clientAuthPort))
                .hasMessageContaining("sallyport.broker.tls.certificate: the broker ")
                .hasMessageNotContaining(PASSWORD);
        assertThat(sendAndReceive(checkedWithCertificate(clientFiles, clientAuthPort), "with a certificate"))
                .isEqualTo("with a certificate");
    }

    @Test
    void plaintextAndTlsEndpointsRefuseEachOther() {
        assertRejected("sallyport.broker.tls.mode: the broker at localhost:" + tlsPort + " speaks TLS", urlOf(tlsPort));
        assertRejected(
                "sallyport.broker.tls.mode: the broker at localhost:" + clientAuthPort + " speaks TLS",
                urlOf(clientAuthPort));
        assertRejected(
                "sallyport.broker.tls.mode: the broker at localhost:" + plainPort + " does not use TLS",
                urlOf(plainPort),
                "MODE",
                "tls",
                "CA_FILE",
                serverFiles.certificate().toString());
        assertThat(sendAndReceive(checkedUrl(urlOf(plainPort)), "in the clear")).isEqualTo("in the clear");
    }

    @Test
    void urlMayContainAllTlsParameters() {
        BrokerUrl connection = checkedUrl(urlOf(tlsPort) + "?sslEnabled=true;trustStoreType=PKCS12;trustStorePath="
                + trustStore + ";trustStorePassword=" + TestCertificate.PASSWORD);

        assertThat(sendAndReceive(connection, "as the address says")).isEqualTo("as the address says");
    }

    @Test
    void unreachableBrokerOrWrongPasswordDoesNotPreventTheStart() {
        assertThatCode(() -> checkedUrl(urlOf(freePort()))).doesNotThrowAnyException();
        assertThatCode(() -> checkedUrl(
                        urlOf(freePort()),
                        "MODE",
                        "tls",
                        "CA_FILE",
                        serverFiles.certificate().toString()))
                .doesNotThrowAnyException();
        Map<String, String> guessed = Map.of(
                "SALLYPORT_BROKER_URL",
                urlOf(plainPort),
                "SALLYPORT_BROKER_USER",
                "ann",
                "SALLYPORT_BROKER_PASSWORD",
                "guessed");
        assertThatCode(() -> BrokerConnectionCheck.check(BrokerUrl.of(BrokerSettings.from(new Properties(), guessed))))
                .doesNotThrowAnyException();
    }

    @Test
    void unreachableBrokerBehindAProxyDoesNotPreventTheStart() throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> {
                while (!proxy.isClosed()) {
                    try {
                        proxy.accept().close();
                    } catch (IOException e) {
                        return; // the test closed the proxy
                    }
                }
            });
            closing.setDaemon(true);
            closing.start();
            assertThatCode(() -> checkedUrl(
                            urlOf(proxy.getLocalPort()),
                            "MODE",
                            "tls",
                            "CA_FILE",
                            serverFiles.certificate().toString()))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void oneReachableBrokerOfAGroupIsEnough() {
        String group = "(" + urlOf(freePort()) + "," + urlOf(tlsPort) + ")?ha=true";

        assertThatCode(() -> checkedUrl(
                        group,
                        "MODE",
                        "tls",
                        "CA_FILE",
                        serverFiles.certificate().toString()))
                .doesNotThrowAnyException();
        assertRejected(
                "was not issued by an authority in this file",
                group,
                "MODE",
                "tls",
                "CA_FILE",
                otherFiles.certificate().toString());
    }

    @Test
    void renewedFilesApplyToNewConnections() throws Exception {
        Path authorities = directory.resolve("renewed-ca.crt");
        Files.writeString(authorities, Files.readString(serverFiles.certificate()));
        BrokerUrl connection = checkedUrl(urlOf(tlsPort), "MODE", "tls", "CA_FILE", authorities.toString());
        assertThat(sendAndReceive(connection, "before")).isEqualTo("before");

        Files.writeString(authorities, Files.readString(otherFiles.certificate()));
        awaitTrue(() -> !canSendAndReceive(connection));
        Files.writeString(authorities, Files.readString(serverFiles.certificate()));
        awaitTrue(() -> canSendAndReceive(connection));
    }

    private static boolean canSendAndReceive(BrokerUrl connection) {
        try {
            return sendAndReceive(connection, "renewed").equals("renewed");
        } catch (JMSRuntimeException e) {
            return false;
        }
    }

    private static void awaitTrue(java.util.function.BooleanSupplier holds) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
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
    void urlParameterThatContradictsTheTlsSettingsIsRefused(String parameter) {
        assertRejected(
                "sallyport.broker.url says " + parameter.substring(0, parameter.indexOf('=')),
                urlOf(tlsPort) + "?" + parameter,
                "MODE",
                "tls",
                "CA_FILE",
                serverFiles.certificate().toString());
    }

    @Test
    void invalidSettingIsNamed() {
        assertRejected(
                "sallyport.broker.tls.ca-file '/nowhere': there is no such file",
                urlOf(tlsPort),
                "MODE",
                "tls",
                "CA_FILE",
                "/nowhere");
        assertRejected("sallyport.broker.tls.key: must not be set while", urlOf(tlsPort), "KEY", "/x");
        assertRejected("is for an external broker", " ", "MODE", "tls");
    }
}
