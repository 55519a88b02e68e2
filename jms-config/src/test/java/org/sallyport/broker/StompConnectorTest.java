package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnectorFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a connector that speaks a minimal subset of STOMP. */
class StompConnectorTest {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final String ADDRESS_PREFIX = "sallyport.external.files.";

    @TempDir
    Path data;

    @Test
    void stompConnectorAnswersACallAndHasNoOtherPermissions() throws Exception {
        int port = freePort();
        BrokerSettings settings = new BrokerSettings(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                data,
                Optional.empty(),
                Optional.of(new ConnectorAcceptor(
                        "127.0.0.1", port, List.of("STOMP"), Optional.empty(), Optional.empty())));
        BrokerSecurityManager accounts = new BrokerSecurityManager(Map.of("ann", "secret"));
        accounts.admit("files", "password of files");
        Configuration configuration = BrokerConfiguration.embedded(settings);
        BrokerConfiguration.registerConnectorPlugins(configuration, accounts);
        try (EmbeddedBroker broker = EmbeddedBroker.start(configuration, data, accounts);
                var factory = new ActiveMQConnectionFactory(
                        false, new TransportConfiguration(InVMConnectorFactory.class.getName()));
                JMSContext service = factory.createContext("ann", "secret");
                JMSConsumer answers = service.createConsumer(service.createQueue(ADDRESS_PREFIX + "replies.n1"));
                JMSConsumer status = service.createConsumer(service.createTopic(ADDRESS_PREFIX + "status"));
                JMSConsumer commands =
                        service.createConsumer(service.createTopic(ADDRESS_PREFIX + "commands"), "JMSType = 'none'")) {
            assertThat(broker.server().isActive()).isTrue();
            assertThat(commands).isNotNull();
            TextMessage call = service.createTextMessage("the call");
            call.setJMSCorrelationID("0123456789abcdef");
            call.setJMSReplyTo(service.createQueue(ADDRESS_PREFIX + "replies.n1"));
            service.createProducer().send(service.createQueue(ADDRESS_PREFIX + "calls"), call);

            try (StompClient stranger = new StompClient(port)) {
                stranger.send("CONNECT", "login:files\npasscode:guessed\naccept-version:1.2\nhost:x", "");
                assertThat(stranger.frame()).startsWith("ERROR");
            }
            try (StompClient connector = new StompClient(port)) {
                connector.send("CONNECT", "login:files\npasscode:password of files\naccept-version:1.2\nhost:x", "");
                assertThat(connector.frame()).startsWith("CONNECTED");
                connector.send("SEND", "destination:" + ADDRESS_PREFIX + "status\ndestination-type:MULTICAST", "here");
                assertThat(status.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("here");
                connector.send(
                        "SUBSCRIBE",
                        "id:1\ndestination:" + ADDRESS_PREFIX + "commands\nsubscription-type:MULTICAST\nreceipt:s",
                        "");
                assertThat(connector.frame()).startsWith("RECEIPT");
                service.createProducer().send(service.createTopic(ADDRESS_PREFIX + "commands"), "the order");
                assertThat(connector.frame()).startsWith("MESSAGE").endsWith("\n\nthe order");
                connector.send("SUBSCRIBE", "id:0\ndestination:" + ADDRESS_PREFIX + "calls\nack:client-individual", "");
                String taken = connector.frame();
                assertThat(taken)
                        .startsWith("MESSAGE")
                        .contains("correlation-id:0123456789abcdef")
                        .endsWith("\n\nthe call");
                String replyTo = header(taken, "reply-to");
                assertThat(replyTo).endsWith(ADDRESS_PREFIX + "replies.n1");
                connector.send(
                        "SEND",
                        "destination:" + ADDRESS_PREFIX + "replies.n1\ncorrelation-id:0123456789abcdef",
                        "the answer");
                connector.send("ACK", "id:" + header(taken, "ack"), "");
                Message answer = answers.receive(TIMEOUT_MILLIS);
                assertThat(answer.getJMSCorrelationID()).isEqualTo("0123456789abcdef");
                assertThat(answer.getBody(String.class)).isEqualTo("the answer");

                connector.send("SUBSCRIBE", "id:2\ndestination:sallyport.jobs", "");
                assertThat(connector.frame()).startsWith("ERROR").contains("subscription 2");
                var jobs = broker.server().locateQueue("sallyport.jobs");
                assertThat(jobs == null ? 0 : jobs.getConsumerCount()).isZero();
            }
        }
    }

    private static String header(String frame, String name) {
        return frame.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + frame));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Sends and receives STOMP frames as text. */
    private static final class StompClient implements Closeable {
        private final Socket socket;

        StompClient(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(TIMEOUT_MILLIS);
        }

        void send(String command, String headers, String body) throws IOException {
            socket.getOutputStream()
                    .write((command + "\n" + headers + "\n\n" + body + "\0").getBytes(StandardCharsets.UTF_8));
        }

        /** Reads the next frame and returns it without its terminator. */
        String frame() throws IOException {
            var bytes = new ByteArrayOutputStream();
            for (int next = socket.getInputStream().read(); next > 0 || bytes.size() == 0; ) {
                if (next < 0) {
                    throw new IOException("the connection was closed");
                }
                if (next != '\n' || bytes.size() > 0) {
                    bytes.write(next);
                }
                next = socket.getInputStream().read();
            }
            return bytes.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
