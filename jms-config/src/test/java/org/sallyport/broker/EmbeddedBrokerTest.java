package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.Message;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnectorFactory;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {

    private static final BrokerSecurityManager ACCOUNTS = new BrokerSecurityManager(Map.of("ann", "secret"));
    private static final long TIMEOUT_MILLIS = 10_000;

    @TempDir
    Path data;

    @Test
    void durableMessageOutlivesTheBroker() throws Exception {
        try (EmbeddedBroker broker = closedBroker();
                JMSContext context = inVm()) {
            assertThat(broker.server().isActive()).isTrue();
            context.createProducer().send(context.createQueue("sallyport.jobs"), "look at 7");
        }
        try (EmbeddedBroker restarted = closedBroker();
                JMSContext context = inVm();
                JMSConsumer consumer = context.createConsumer(context.createQueue("sallyport.jobs"))) {
            assertThat(restarted.server().isActive()).isTrue();
            assertThat(consumer.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("look at 7");
        }
    }

    @Test
    void brokerRestartsAfterAnIoError() throws Exception {
        try (EmbeddedBroker broker = closedBroker()) {
            ActiveMQServer failed = broker.server();
            failed.getIoCriticalErrorListener().onIOException(new IOException("no space left"), "told", "journal");

            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
            while (broker.server() == failed && System.nanoTime() < deadline) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(broker.server()).isNotSameAs(failed);
            assertThat(failed.isActive()).isFalse();
            try (JMSContext context = inVm();
                    JMSConsumer consumer = context.createConsumer(context.createQueue("sallyport.jobs"))) {
                context.createProducer().send(context.createQueue("sallyport.jobs"), "look at 8");
                assertThat(consumer.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("look at 8");
            }
        }
    }

    @Test
    void requestThatFailsThreeTimesBecomesADeadLetter() throws Exception {
        try (EmbeddedBroker broker = closedBroker();
                JMSContext context = inVm();
                JMSContext transacted = inVm(JMSContext.SESSION_TRANSACTED)) {
            assertThat(broker.server().isActive()).isTrue();
            context.createProducer().send(context.createQueue("sallyport.tool.java"), "poison");
            try (JMSConsumer consumer = transacted.createConsumer(transacted.createQueue("sallyport.tool.java"))) {
                for (int delivery = 1; delivery <= 3; delivery++) {
                    assertThat(deliveryCount(consumer.receive(TIMEOUT_MILLIS))).isEqualTo(delivery);
                    transacted.rollback();
                }
            }
            // The service selects dead letters by their original address.
            String origin = "_AMQ_ORIG_ADDRESS = 'sallyport.tool.java'";
            try (JMSConsumer dead = context.createConsumer(context.createQueue("sallyport.dead-letters"), origin)) {
                assertThat(dead.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("poison");
            }
        }
    }

    @Test
    void expiredRequestIsKeptInTheExpiryQueue() throws Exception {
        try (EmbeddedBroker broker = closedBroker();
                JMSContext context = inVm()) {
            assertThat(broker.server().isActive()).isTrue();
            context.createProducer().setTimeToLive(1).send(context.createQueue("sallyport.tool.java"), "too late");
            try (JMSConsumer expired = context.createConsumer(context.createQueue("sallyport.expired"))) {
                assertThat(expired.receiveBody(String.class, 2 * TIMEOUT_MILLIS))
                        .isEqualTo("too late");
            }
        }
    }

    @Test
    void queueOfANewBackendGroupIsCreatedOnUse() throws Exception {
        try (EmbeddedBroker broker = closedBroker();
                JMSContext context = inVm()) {
            assertThat(broker.server().isActive()).isTrue();
            context.createProducer().send(context.createQueue("sallyport.tool.weather"), "rain?");
            try (JMSConsumer consumer = context.createConsumer(context.createQueue("sallyport.tool.weather"))) {
                assertThat(consumer.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("rain?");
            }
        }
    }

    @Test
    void callsThatANodeHasNotAskedForGoToAnother() throws Exception {
        try (EmbeddedBroker broker = closedBroker();
                JMSContext first = inVm();
                JMSContext second = inVm();
                JMSConsumer busy = first.createConsumer(first.createQueue("sallyport.tool.weather"))) {
            assertThat(broker.server().isActive()).isTrue();
            for (int call = 1; call <= 3; call++) {
                second.createProducer().send(second.createQueue("sallyport.tool.weather"), "call " + call);
            }
            assertThat(busy.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("call 1");
            try (JMSConsumer idle = second.createConsumer(second.createQueue("sallyport.tool.weather"))) {
                assertThat(idle.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("call 2");
                assertThat(idle.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("call 3");
            }
        }
    }

    @Test
    void secondBrokerOnTheSameDataIsRefusedAtOnce() throws Exception {
        try (EmbeddedBroker first = closedBroker()) {
            assertThatThrownBy(this::closedBroker)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Another process uses the broker data");
            assertThat(first.server().isActive()).isTrue();
        }
    }

    @Test
    void externalClientMustAuthenticate() throws Exception {
        String url = "tcp://127.0.0.1:" + freePort();
        BrokerSettings settings =
                new BrokerSettings(Optional.empty(), Optional.of("ann"), Optional.of("secret"), data, Optional.of(url));
        try (EmbeddedBroker broker = EmbeddedBroker.start(
                        BrokerConfiguration.embedded(settings), settings.dataDirectory(), ACCOUNTS);
                var factory = new ActiveMQConnectionFactory(url)) {
            assertThat(broker.server().isActive()).isTrue();
            assertThatThrownBy(() -> connectAndSend(factory, "ann", "guessed"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            assertThatThrownBy(() -> connectAndSend(factory, null, null))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            connectAndSend(factory, "ann", "secret");
        }
    }

    @Test
    void connectorReachesItsOwnQueuesUntilItsAccountIsRevoked() throws Exception {
        int port = freePort();
        String url = "tcp://127.0.0.1:" + port;
        BrokerSettings settings = new BrokerSettings(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                data,
                Optional.empty(),
                Optional.of(new ConnectorAcceptor(
                        "127.0.0.1", port, List.of("AMQP", "STOMP", "CORE"), Optional.empty(), Optional.empty())));
        BrokerSecurityManager accounts = new BrokerSecurityManager(Map.of("ann", "secret"));
        accounts.admit("files", "password of files");
        Configuration configuration = BrokerConfiguration.embedded(settings);
        BrokerConfiguration.registerConnectorPlugins(configuration, accounts);
        try (EmbeddedBroker broker = EmbeddedBroker.start(configuration, settings.dataDirectory(), accounts);
                var factory = new ActiveMQConnectionFactory(url);
                JMSContext service = inVm("ann", "secret");
                JMSContext connector = factory.createContext("files", "password of files")) {
            String cluster = "ACTIVEMQ.CLUSTER.ADMIN.USER";
            assertThatThrownBy(() -> connectAndSend(factory, cluster, "CHANGE ME!!"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            assertThatThrownBy(() -> connectAndSend(factory, "files", "secret"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            service.createProducer().send(service.createQueue("sallyport.external.files.calls"), "call");
            service.createProducer().send(service.createQueue("sallyport.external.other.calls"), "not its call");
            service.createConsumer(service.createQueue("sallyport.external.files.replies.n1"));
            try (JMSConsumer calls =
                    connector.createConsumer(connector.createQueue("sallyport.external.files.calls"))) {
                assertThat(calls.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("call");
            }
            for (String other : List.of("sallyport.external.other.calls", "sallyport.jobs", "sallyport.tool.java")) {
                assertThatThrownBy(() -> connector.createConsumer(connector.createQueue(other)))
                        .isInstanceOf(JMSSecurityRuntimeException.class);
                assertThatThrownBy(() -> connector.createProducer().send(connector.createQueue(other), "x"))
                        .isInstanceOf(JMSSecurityRuntimeException.class);
            }
            service.createConsumer(service.createTopic("sallyport.external.files.status"));
            register(factory, "password of files");
            accounts.admit("files", "another password");
            assertThatThrownBy(() -> register(factory, "password of files"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            register(factory, "another password");
            accounts.dismiss("files");
            assertThatThrownBy(() -> register(factory, "another password"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
            while (sessionsOf(broker, "files") > 0 && System.nanoTime() < deadline) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(sessionsOf(broker, "files")).isZero();
            assertThat(sessionsOf(broker, "ann")).isPositive();
        }
    }

    @Test
    void callThatAConnectorReceivedIsNotRedeliveredToAnother() throws Exception {
        BrokerSettings settings =
                new BrokerSettings(Optional.empty(), Optional.empty(), Optional.empty(), data, Optional.empty());
        Configuration configuration = BrokerConfiguration.embedded(settings);
        BrokerConfiguration.registerConnectorPlugins(configuration, ACCOUNTS);
        try (EmbeddedBroker broker = EmbeddedBroker.start(configuration, data, ACCOUNTS);
                JMSContext service = inVm();
                JMSContext next = inVm();
                JMSConsumer lost = service.createConsumer(
                        service.createTopic("sallyport.abandoned-calls"),
                        "_AMQ_ORIG_ADDRESS = 'sallyport.external.files.calls'")) {
            assertThat(broker.server().isActive()).isTrue();
            for (int round = 0; round < 20; round++) {
                JMSContext first = inVm(JMSContext.CLIENT_ACKNOWLEDGE);
                JMSConsumer calls = first.createConsumer(first.createQueue("sallyport.external.files.calls"));
                service.createProducer()
                        .setJMSCorrelationID("call " + round)
                        .send(service.createQueue("sallyport.external.files.calls"), "x");
                assertThat(calls.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("x");
                try (JMSConsumer other = next.createConsumer(next.createQueue("sallyport.external.files.calls"))) {
                    // Closed normally, because the broker does not count a delivery then.
                    first.close();
                    Message message = lost.receive(TIMEOUT_MILLIS);
                    assertThat(message.getJMSCorrelationID()).isEqualTo("call " + round);
                    assertThat(other.receiveNoWait()).isNull();
                }
            }
            service.createProducer().send(service.createQueue("sallyport.external.files.calls"), "had by nobody");
            try (JMSConsumer calls = next.createConsumer(next.createQueue("sallyport.external.files.calls"))) {
                assertThat(calls.receiveBody(String.class, TIMEOUT_MILLIS)).isEqualTo("had by nobody");
            }
        }
    }

    private static void register(ActiveMQConnectionFactory factory, String password) {
        try (JMSContext context = factory.createContext("files", password)) {
            context.createProducer().send(context.createTopic("sallyport.external.files.status"), "here");
        }
    }

    private static long sessionsOf(EmbeddedBroker broker, String user) {
        return broker.server().getSessions().stream()
                .filter(session -> user.equals(session.getUsername()))
                .count();
    }

    private static JMSContext inVm(String user, String password) {
        return new ActiveMQConnectionFactory(false, new TransportConfiguration(InVMConnectorFactory.class.getName()))
                .createContext(user, password);
    }

    private static void connectAndSend(
            ActiveMQConnectionFactory factory, @Nullable String user, @Nullable String password) {
        try (JMSContext context = factory.createContext(user, password)) {
            context.createProducer().send(context.createQueue("sallyport.jobs"), "hello");
        }
    }

    private EmbeddedBroker closedBroker() throws Exception {
        var settings = new BrokerSettings(Optional.empty(), Optional.empty(), Optional.empty(), data, Optional.empty());
        return EmbeddedBroker.start(BrokerConfiguration.embedded(settings), data, ACCOUNTS);
    }

    private static JMSContext inVm() {
        return inVm(JMSContext.AUTO_ACKNOWLEDGE);
    }

    private static JMSContext inVm(int mode) {
        return new ActiveMQConnectionFactory(false, new TransportConfiguration(InVMConnectorFactory.class.getName()))
                .createContext(mode);
    }

    private static int deliveryCount(Message message) throws JMSException {
        return message.getIntProperty("JMSXDeliveryCount");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
