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
import java.time.Duration;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * Sends messages through a small pool of open producers: opening a producer per message costs several times as much as
 * sending. A producer that failed is closed and the next send opens a new one, so that the service recovers when the
 * broker is back.
 *
 * <p>A broker that is blocked or silent would keep a sending thread waiting without a limit. The thread is therefore
 * interrupted at the time limit, and the send fails. Thread-safe.
 */
public final class PooledJmsSender implements MessageSender, AutoCloseable {
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(5);
    private static final int CHECKS_PER_TIMEOUT = 5;
    private static final long BORROW_TIMEOUT_MILLIS = 5_000;
    private static final int MAX_CACHED_DESTINATIONS = 1_000;

    private final ConnectionFactory connections;
    private final Semaphore permits;
    private final BlockingDeque<PooledProducer> idle = new LinkedBlockingDeque<>();
    private final Set<BrokerOperation> running = ConcurrentHashMap.newKeySet();
    private final long timeoutNanos;
    private final Executor closeExecutor;
    private volatile boolean closed;

    /**
     * Creates a sender; connections are opened on first use.
     *
     * @param channels maximum number of producers, and so of threads that send at the same time
     * @param scheduler checks the time limit of sends; is not blocked
     * @param closer closes failed connections, each of which may wait for the broker for seconds
     */
    public PooledJmsSender(
            ConnectionFactory connections, int channels, ScheduledExecutorService scheduler, Executor closer) {
        this(connections, channels, SEND_TIMEOUT, scheduler, closer);
    }

    /** @param timeout time limit of one send, without the wait for a producer */
    PooledJmsSender(
            ConnectionFactory connections,
            int channels,
            Duration timeout,
            ScheduledExecutorService scheduler,
            Executor closer) {
        this.connections = connections;
        this.permits = new Semaphore(channels);
        this.timeoutNanos = timeout.toNanos();
        this.closeExecutor = closer;
        long pauseNanos = timeoutNanos / CHECKS_PER_TIMEOUT;
        scheduler.scheduleWithFixedDelay(this::interruptLate, pauseNanos, pauseNanos, TimeUnit.NANOSECONDS);
    }

    private void interruptLate() {
        running.forEach(operation -> operation.interruptAfter(timeoutNanos));
    }

    @Override
    public void send(OutgoingMessage message) {
        withProducer("a message for " + message.destination(), channel -> channel.send(message));
    }

    @Override
    public void ping() {
        withProducer("a ping", PooledProducer::ping);
    }

    @Override
    public int countWaiting(String queue, int maxCount) {
        AtomicInteger counted = new AtomicInteger();
        withProducer("a queue query", channel -> counted.set(channel.countWaiting(queue, maxCount)));
        return counted.get();
    }

    private interface ProducerAction {
        void run(PooledProducer channel) throws JMSException;
    }

    private void withProducer(String what, ProducerAction use) {
        try {
            if (closed || !permits.tryAcquire(BORROW_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new BrokerUnavailableException(
                        what + " could not be sent within " + BORROW_TIMEOUT_MILLIS + " ms",
                        new IllegalStateException(closed ? "the sender is closed" : "all producers are busy"),
                        false);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerUnavailableException("interrupted while sending " + what, e, false);
        }
        PooledProducer channel = null;
        BrokerOperation operation = new BrokerOperation();
        running.add(operation);
        try {
            channel = borrow();
            use.run(channel);
            idle.addFirst(channel);
            channel = null;
            if (closed) {
                closeIdle(closeExecutor);
            }
        } catch (JMSException | RuntimeException e) {
            // The idle producers have failed too: when the broker goes away, all connections break.
            closeIdle(closeExecutor);
            throw new BrokerUnavailableException(
                    "the broker did not accept " + what, e, channel != null && channel.maybeSent(e));
        } finally {
            running.remove(operation);
            operation.end();
            if (channel != null) {
                closeExecutor.execute(channel::close);
            }
            permits.release();
        }
    }

    private PooledProducer borrow() throws JMSException {
        PooledProducer channel = idle.pollFirst();
        if (channel != null) {
            return channel;
        }
        Connection connection = connections.createConnection();
        try {
            return new PooledProducer(connection);
        } catch (JMSException | RuntimeException e) {
            closeExecutor.execute(() -> close(connection));
            throw e;
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (JMSException | RuntimeException e) {
            // The producer is closed because it failed, so a failure to close it adds no information.
            System.getLogger(PooledJmsSender.class.getName())
                    .log(System.Logger.Level.DEBUG, "a producer could not be closed", e);
        }
    }

    private void closeIdle(Executor executor) {
        for (PooledProducer channel = idle.pollFirst(); channel != null; channel = idle.pollFirst()) {
            executor.execute(channel::close);
        }
    }

    @Override
    public void close() {
        closed = true;
        closeIdle(Runnable::run);
    }

    /** An operation of the current thread at the broker. */
    private static final class BrokerOperation {
        private final Thread thread = Thread.currentThread();
        private final long startNanos = System.nanoTime();
        private boolean ended;
        private boolean interrupted;

        /** Interrupts the thread, once, if the operation lasts for longer than {@code nanos}. */
        synchronized void interruptAfter(long nanos) {
            if (!ended && !interrupted && System.nanoTime() - startNanos > nanos) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** The interruption must not reach what the thread does next: it would close the file of an H2 database. */
        synchronized void end() {
            ended = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }

    /** A connection with its session and producer. Used by one thread at a time. */
    private static final class PooledProducer {
        private final Connection connection;
        private final Session session;
        private final MessageProducer producer;
        private final Map<String, Destination> destinations = new HashMap<>();
        private boolean sending;

        PooledProducer(Connection connection) throws JMSException {
            this.connection = connection;
            this.session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            this.producer = session.createProducer(null);
            producer.setDisableMessageTimestamp(true);
        }

        /**
         * Whether the broker may have the message whose sending failed. A producer that was closed sends nothing. One
         * that was interrupted waited for the broker's credit, which precedes the message: it does not wait for an
         * answer to a message that is not persistent.
         */
        boolean maybeSent(Exception failure) {
            return sending && !(failure instanceof jakarta.jms.IllegalStateException) && !isInterruption(failure);
        }

        private static boolean isInterruption(Exception failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof InterruptedException) {
                    return true;
                }
            }
            return false;
        }

        void send(OutgoingMessage message) throws JMSException {
            sending = false;
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
            if (message.tenant().isPresent()) {
                text.setStringProperty(
                        OutgoingMessage.TENANT_PROPERTY, message.tenant().get());
            }
            Destination destination = destination(message.destination(), message.topic());
            sending = true;
            producer.send(
                    destination, text, DeliveryMode.NON_PERSISTENT, message.priority(), message.timeToLiveMillis());
            sending = false;
        }

        int countWaiting(String queue, int maxCount) throws JMSException {
            // The connection stays started: it cannot be stopped inside the container, and a session without consumers
            // receives no messages.
            connection.start();
            try (QueueBrowser browser = session.createBrowser(session.createQueue(queue))) {
                Enumeration<?> messages = browser.getEnumeration();
                int counted = 0;
                while (counted < maxCount && messages.hasMoreElements()) {
                    messages.nextElement();
                    counted++;
                }
                return counted;
            }
        }

        /** Opens a browser on a queue that always exists; this requires an answer of the broker. */
        void ping() throws JMSException {
            session.createBrowser(session.createQueue(JmsDestinations.DEAD_LETTERS))
                    .close();
        }

        private Destination destination(String name, boolean topic) throws JMSException {
            @Nullable Destination known = destinations.get(name);
            if (known != null) {
                return known;
            }
            if (destinations.size() >= MAX_CACHED_DESTINATIONS) {
                destinations.clear();
            }
            Destination created = topic ? session.createTopic(name) : session.createQueue(name);
            destinations.put(name, created);
            return created;
        }

        void close() {
            PooledJmsSender.close(connection);
        }
    }
}
