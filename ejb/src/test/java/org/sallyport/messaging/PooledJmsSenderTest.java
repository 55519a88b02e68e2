package org.sallyport.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a message that the broker did not accept may have reached it. */
class PooledJmsSenderTest {
    private static final OutgoingMessage MESSAGE = OutgoingMessage.queue("q", "body", "c", null, 1_000);

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Returns a sender whose broker throws {@code failure} in the first method of that name. */
    private static PooledJmsSender sender(String failingMethod, Exception failure) {
        InvocationHandler[] handler = new InvocationHandler[1];
        handler[0] = (self, method, arguments) -> {
            if (method.getName().equals(failingMethod)) {
                throw failure;
            }
            return switch (method.getName()) {
                case "createConnection" -> proxy(Connection.class, handler[0]);
                case "createSession" -> proxy(Session.class, handler[0]);
                case "createProducer" -> proxy(MessageProducer.class, handler[0]);
                case "createTextMessage" -> proxy(TextMessage.class, handler[0]);
                case "createQueue" -> proxy(Queue.class, handler[0]);
                default -> null;
            };
        };
        return new PooledJmsSender(proxy(ConnectionFactory.class, handler[0]), 1);
    }

    private static void assertMaybeSent(PooledJmsSender sender, boolean maybeSent) {
        assertThatThrownBy(() -> sender.send(MESSAGE))
                .isInstanceOfSatisfying(
                        BrokerUnavailableException.class,
                        failure -> assertThat(failure.maybeSent()).isEqualTo(maybeSent));
    }

    @ParameterizedTest
    @CsvSource({
        "createConnection,  false",
        "createSession,     false",
        "createTextMessage, false",
        "createQueue,       false",
        "send,              true"
    })
    void onlyAMessageWhoseSendingBeganMayHaveReachedTheBroker(String failingMethod, boolean maybeSent) {
        assertMaybeSent(sender(failingMethod, new JMSException("away")), maybeSent);
    }

    @Test
    void closedProducerSendsNothing() {
        assertMaybeSent(sender("send", new jakarta.jms.IllegalStateException("the producer is closed")), false);
    }

    @Test
    void closedSenderSendsNothing() {
        PooledJmsSender sender = sender("none", new JMSException("away"));
        sender.close();
        assertMaybeSent(sender, false);
    }
}
