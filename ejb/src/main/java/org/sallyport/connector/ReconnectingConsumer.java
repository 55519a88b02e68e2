package org.sallyport.connector;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * One long-lived JMS consumer on its own thread. Reconnects until the broker is back. Used because message-driven beans
 * cannot be added to a running application. A message is acknowledged when it is received, before it is handled: the
 * broker does not redeliver a message whose handling has begun, and it is lost if its handling fails.
 */
public final class ReconnectingConsumer implements Runnable, AutoCloseable {
    private static final long RECEIVE_TIMEOUT_MILLIS = 1_000;
    private static final long RECONNECT_DELAY_MILLIS = 1_000;

    private final ConnectionFactory connections;
    private final String name;
    private final ConsumerFactory consumerFactory;
    private final MessageHandler handler;
    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile boolean closed;

    /** Creates the consumer after each connect. */
    public interface ConsumerFactory {
        MessageConsumer createConsumer(Session session) throws JMSException;
    }

    /**
     * Receives each message on the consumer thread. An exception closes the connection, and the consumer reconnects.
     */
    public interface MessageHandler {
        void handle(Message message) throws JMSException;
    }

    private ReconnectingConsumer(
            ConnectionFactory connections, String name, ConsumerFactory source, MessageHandler taker) {
        this.connections = connections;
        this.name = name;
        this.consumerFactory = source;
        this.handler = taker;
    }

    /**
     * Starts to consume.
     *
     * @param name name of the source, for the log
     */
    public static ReconnectingConsumer start(
            ConnectionFactory connections,
            ThreadFactory threads,
            String name,
            ConsumerFactory source,
            MessageHandler taker) {
        ReconnectingConsumer reader = new ReconnectingConsumer(connections, name, source, taker);
        threads.newThread(reader).start();
        return reader;
    }

    @Override
    public void run() {
        try {
            consume();
        } finally {
            terminated.countDown();
        }
    }

    private void consume() {
        while (!closed) {
            try (Connection connection = connections.createConnection();
                    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                    MessageConsumer consumer = consumerFactory.createConsumer(session)) {
                connection.start();
                while (!closed) {
                    Message message = consumer.receive(RECEIVE_TIMEOUT_MILLIS);
                    if (message != null) {
                        handler.handle(message);
                    }
                }
            } catch (JMSException | RuntimeException e) {
                if (!closed) {
                    System.getLogger(ReconnectingConsumer.class.getName())
                            .log(Level.WARNING, "listening on " + name + " failed; trying again: {0}", e.getMessage());
                    pause();
                }
            }
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(RECONNECT_DELAY_MILLIS);
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    /** Stops the consumer at its next poll, without an interrupt: an interrupt could hit the sending of a reply. */
    @Override
    public void close() {
        closed = true;
    }

    /** Waits until the consumer has stopped receiving messages, at most {@code timeout}. */
    void awaitTermination(Duration timeout) throws InterruptedException {
        terminated.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
