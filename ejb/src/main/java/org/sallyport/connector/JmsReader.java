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
 * One long-lived consumer on one thread, which connects again for as long as the broker is away: message-driven beans cannot
 * be added to a running application.
 */
public final class JmsReader implements Runnable, AutoCloseable {
    private static final long LOOK_MILLIS = 1_000;
    private static final long AGAIN_MILLIS = 1_000;

    private final ConnectionFactory connections;
    private final String name;
    private final Source source;
    private final Taker taker;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closed;

    /** Makes the consumer, after each connecting. */
    public interface Source {
        MessageConsumer consumer(Session session) throws JMSException;
    }

    /** Hears each message, on the one thread. What it throws ends the connection, and another is made. */
    public interface Taker {
        void take(Message message) throws JMSException;
    }

    private JmsReader(ConnectionFactory connections, String name, Source source, Taker taker) {
        this.connections = connections;
        this.name = name;
        this.source = source;
        this.taker = taker;
    }

    /**
     * Begins to read.
     *
     * @param name what is read, for the log
     */
    public static JmsReader start(
            ConnectionFactory connections, ThreadFactory threads, String name, Source source, Taker taker) {
        JmsReader reader = new JmsReader(connections, name, source, taker);
        threads.newThread(reader).start();
        return reader;
    }

    @Override
    public void run() {
        try {
            read();
        } finally {
            ended.countDown();
        }
    }

    private void read() {
        while (!closed) {
            try (Connection connection = connections.createConnection();
                    Session session = connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
                    MessageConsumer consumer = source.consumer(session)) {
                connection.start();
                while (!closed) {
                    Message message = consumer.receive(LOOK_MILLIS);
                    if (message != null) {
                        taker.take(message);
                    }
                }
            } catch (JMSException | RuntimeException e) {
                if (!closed) {
                    System.getLogger(JmsReader.class.getName())
                            .log(Level.WARNING, "listening on " + name + " failed; trying again: {0}", e.getMessage());
                    pause();
                }
            }
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    /** Ends with its next look: an interruption could hit an answer that is being sent. */
    @Override
    public void close() {
        closed = true;
    }

    /** Waits until it takes no more messages, {@code most} at most. */
    void awaitEnd(Duration most) throws InterruptedException {
        ended.await(most.toMillis(), TimeUnit.MILLISECONDS);
    }
}
