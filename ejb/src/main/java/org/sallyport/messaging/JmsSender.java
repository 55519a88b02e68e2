package org.sallyport.messaging;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * Sends through a few producers that stay open: opening one for each message costs several times what sending does. A
 * producer that failed is thrown away and the next send opens a new one, so that the service heals when the broker is
 * back.
 */
public final class JmsSender implements MessageSender, AutoCloseable {
    private static final long BORROW_MILLIS = 5_000;
    private static final int DESTINATIONS_KEPT = 1_000;

    private final ConnectionFactory connections;
    private final Semaphore permits;
    private final BlockingDeque<Channel> idle = new LinkedBlockingDeque<>();
    private volatile boolean closed;

    /**
     * Opens nothing yet.
     *
     * @param channels producers at most, which is also how many threads can send at one time
     */
    public JmsSender(ConnectionFactory connections, int channels) {
        this.connections = connections;
        this.permits = new Semaphore(channels);
    }

    @Override
    public void send(OutgoingMessage message) {
        use("a message for " + message.destination(), channel -> channel.send(message));
    }

    @Override
    public void ping() {
        use("a question", Channel::ping);
    }

    @Override
    public int waiting(String queue, int most) {
        AtomicInteger counted = new AtomicInteger();
        use("a question", channel -> counted.set(channel.waiting(queue, most)));
        return counted.get();
    }

    private interface Use {
        void on(Channel channel) throws JMSException;
    }

    private void use(String what, Use use) {
        try {
            if (closed || !permits.tryAcquire(BORROW_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new BrokerUnavailableException(
                        what + " could not be sent within " + BORROW_MILLIS + " ms",
                        new IllegalStateException(closed ? "the sender is closed" : "all producers are busy"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerUnavailableException("interrupted while sending " + what, e);
        }
        Channel channel = null;
        try {
            channel = borrow();
            use.on(channel);
            idle.addFirst(channel);
            channel = null;
            if (closed) {
                closeIdle();
            }
        } catch (JMSException | RuntimeException e) {
            // Those that lie idle share the fate of this one: a broker that went away takes all connections with it.
            closeIdle();
            throw new BrokerUnavailableException("the broker did not take " + what, e);
        } finally {
            if (channel != null) {
                channel.close();
            }
            permits.release();
        }
    }

    private Channel borrow() throws JMSException {
        Channel channel = idle.pollFirst();
        return channel != null ? channel : new Channel(connections.createConnection());
    }

    private void closeIdle() {
        for (Channel channel = idle.pollFirst(); channel != null; channel = idle.pollFirst()) {
            channel.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        closeIdle();
    }

    /** One connection with its session and producer; used by one thread at a time. */
    private static final class Channel {
        private final Connection connection;
        private final Session session;
        private final MessageProducer producer;
        private final Map<String, Destination> destinations = new HashMap<>();

        Channel(Connection connection) throws JMSException {
            this.connection = connection;
            try {
                session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                producer = session.createProducer(null);
                producer.setDisableMessageTimestamp(true);
            } catch (JMSException e) {
                connection.close();
                throw e;
            }
        }

        void send(OutgoingMessage message) throws JMSException {
            TextMessage text = session.createTextMessage(message.body());
            String correlationId = message.correlationId();
            if (correlationId != null) {
                text.setJMSCorrelationID(correlationId);
            }
            String replyTo = message.replyTo();
            if (replyTo != null) {
                text.setJMSReplyTo(destination(replyTo, false));
            }
            if (message.trace().isPresent()) {
                TraceHeaders trace = message.trace().get();
                text.setStringProperty(TraceHeaders.TRACEPARENT, trace.traceparent());
                if (!trace.tracestate().isEmpty()) {
                    text.setStringProperty(TraceHeaders.TRACESTATE, trace.tracestate());
                }
            }
            producer.send(
                    destination(message.destination(), message.topic()),
                    text,
                    DeliveryMode.NON_PERSISTENT,
                    message.priority(),
                    message.expiryMillis());
        }

        int waiting(String queue, int most) throws JMSException {
            // Started for good: it may not be stopped in here, and what only sends hears of nothing.
            connection.start();
            try (QueueBrowser browser = session.createBrowser(session.createQueue(queue))) {
                Enumeration<?> messages = browser.getEnumeration();
                int counted = 0;
                while (counted < most && messages.hasMoreElements()) {
                    messages.nextElement();
                    counted++;
                }
                return counted;
            }
        }

        /** The broker must answer to open a browser of a queue that always is there. */
        void ping() throws JMSException {
            session.createBrowser(session.createQueue(Destinations.DEAD_LETTERS))
                    .close();
        }

        private Destination destination(String name, boolean topic) throws JMSException {
            @Nullable Destination known = destinations.get(name);
            if (known != null) {
                return known;
            }
            if (destinations.size() >= DESTINATIONS_KEPT) {
                destinations.clear();
            }
            Destination created = topic ? session.createTopic(name) : session.createQueue(name);
            destinations.put(name, created);
            return created;
        }

        void close() {
            try {
                connection.close();
            } catch (JMSException | RuntimeException e) {
                // It is being thrown away because it failed; that closing fails too says nothing new.
                System.getLogger(JmsSender.class.getName()).log(System.Logger.Level.DEBUG, "closing a producer", e);
            }
        }
    }
}
