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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a send lasts at most, and whether a message that the broker did not accept may have reached it. */
class PooledJmsSenderTest {
    private static final OutgoingMessage MESSAGE = OutgoingMessage.queue("q", "body", "c", null, 1_000);
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(50);
    private static final Duration LONG_TIMEOUT = Duration.ofHours(1);

    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    /** The tasks that close failed connections. */
    private final List<Runnable> closings = new ArrayList<>();

    @AfterEach
    void stopThreads() {
        scheduler.shutdownNow();
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Returns a sender whose broker throws {@code failure} in the first method of that name. */
    private PooledJmsSender sender(String failingMethod, Exception failure) {
        return sender(failingMethod, LONG_TIMEOUT, () -> {
            throw failure;
        });
    }

    private PooledJmsSender sender(String failingMethod, Duration timeout, Executable failure) {
        InvocationHandler[] handler = new InvocationHandler[1];
        handler[0] = (self, method, arguments) -> {
            if (method.getName().equals(failingMethod)) {
                failure.execute();
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
        return new PooledJmsSender(proxy(ConnectionFactory.class, handler[0]), 1, timeout, scheduler, closings::add);
    }

    /** Waits as a producer of Artemis does for credit: until it is interrupted, and then sets the flag again. */
    private static void awaitInterruption() throws JMSException {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            JMSException failure = new JMSException("interrupted");
            failure.initCause(e);
            throw failure;
        }
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

    @ParameterizedTest
    @ValueSource(strings = {"createConnection", "createSession", "send"})
    void stuckSendEndsAtItsLimit(String stuckMethod) {
        assertMaybeSent(sender(stuckMethod, SHORT_TIMEOUT, PooledJmsSenderTest::awaitInterruption), false);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** A silent broker keeps a connection from closing for seconds. */
    @Test
    void failedConnectionIsNotClosedByTheSendingThread() {
        assertMaybeSent(sender("send", new JMSException("away")), true);
        assertThat(closings).hasSize(1);
    }

    @Test
    void closedSenderSendsNothing() {
        PooledJmsSender sender = sender("none", new JMSException("away"));
        sender.close();
        assertMaybeSent(sender, false);
    }
}
