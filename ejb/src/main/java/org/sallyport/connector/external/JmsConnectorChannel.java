package org.sallyport.connector.external;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.connector.ReconnectingConsumer;
import org.sallyport.connector.TokenBucket;
import org.sallyport.messaging.ConnectorCommand;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolRequestMessage;

/**
 * The JMS destinations of one backend. Replies, status messages and abandoned calls are consumed on one thread each.
 * The channel slows down its consumers when a connector exceeds the rate limit of unsolicited messages; further
 * messages then wait at the broker, and finally the connector itself has to wait. Thread-safe.
 */
final class JmsConnectorChannel implements ConnectorChannel {
    private static final long MAX_BODY_BYTES = 4L * 1024 * 1024;
    /** Property with the size of a large message whose body has not been loaded. */
    private static final String LARGE_SIZE_PROPERTY = "_AMQ_LARGE_SIZE";

    /** Selector that matches no message. */
    private static final String MATCH_NOTHING_SELECTOR = "JMSType = 'none'";

    private static final double UNSOLICITED_BURST = 200;
    private static final double UNSOLICITED_PER_SECOND = 50;
    private static final long THROTTLE_DELAY_MILLIS = 1_000 / (long) UNSOLICITED_PER_SECOND;

    private final String backend;
    private final String replyQueue;
    private final boolean singleDelivery;
    private final ConnectionFactory connections;
    private final MessageSender sender;
    private final ThreadFactory threads;
    private final TokenBucket unsolicitedLimiter =
            new TokenBucket(UNSOLICITED_BURST, UNSOLICITED_PER_SECOND, System::nanoTime);
    private final List<ReconnectingConsumer> consumers = new ArrayList<>();
    private final Object retractLock = new Object();
    private @Nullable Connection retractConnection;
    private @Nullable Session retractSession;
    private volatile boolean destinationsReady;

    /**
     * @param incarnation identifies this connection in the name of its reply queue
     * @param tells whether the broker guarantees that a call delivered to a connector is delivered to no other
     *     consumer, including the service
     */
    JmsConnectorChannel(
            String backend,
            String incarnation,
            boolean tells,
            ConnectionFactory connections,
            MessageSender sender,
            ThreadFactory threads) {
        this.backend = backend;
        this.replyQueue = JmsDestinations.externalReplies(backend, incarnation);
        this.singleDelivery = tells;
        this.connections = connections;
        this.sender = sender;
        this.threads = threads;
    }

    @Override
    public synchronized void open(ChannelReceiver receiver) {
        String statusTopic = JmsDestinations.externalStatus(backend);
        startConsumer(
                replyQueue,
                session -> session.createConsumer(session.createQueue(replyQueue)),
                message -> receiver.onReply(correlation(message), () -> text(message)));
        startConsumer(
                statusTopic,
                session -> {
                    MessageConsumer consumer = session.createConsumer(session.createTopic(statusTopic));
                    createDestinations(session);
                    destinationsReady = true;
                    receiver.onReady();
                    return consumer;
                },
                message -> receiver.onStatusMessage(() -> text(message)));
        startConsumer(
                JmsDestinations.ABANDONED_CALLS + " for " + backend,
                session -> session.createConsumer(
                        session.createTopic(JmsDestinations.ABANDONED_CALLS),
                        "_AMQ_ORIG_ADDRESS = '" + JmsDestinations.externalCalls(backend) + "'"),
                message -> receiver.onCallAbandoned(correlation(message)));
    }

    private interface ChannelMessageHandler {
        boolean handle(Message message) throws JMSException;
    }

    private void startConsumer(String name, ReconnectingConsumer.ConsumerFactory source, ChannelMessageHandler heard) {
        consumers.add(ReconnectingConsumer.start(
                connections, threads, name, source, message -> handleMessage(name, message, heard)));
    }

    /** Handles a message of an untrusted sender. A faulty message is dropped and does not stop the consumer. */
    private void handleMessage(String name, Message message, ChannelMessageHandler heard) {
        boolean wanted = false;
        try {
            wanted = heard.handle(message);
        } catch (JMSException | RuntimeException e) {
            System.getLogger(JmsConnectorChannel.class.getName())
                    .log(Level.DEBUG, "a message on " + name + " cannot be read", e);
        }
        if (!wanted && !unsolicitedLimiter.tryAcquire()) {
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(THROTTLE_DELAY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Creates the destinations, because connectors are not allowed to. The broker creates a destination when the
     * service first consumes from it, and deletes a topic without consumers. The topic consumer matches no message and
     * stays open as long as the session.
     */
    private void createDestinations(Session session) throws JMSException {
        session.createConsumer(session.createQueue(JmsDestinations.externalCalls(backend)), MATCH_NOTHING_SELECTOR)
                .close();
        session.createConsumer(session.createTopic(JmsDestinations.externalCommands(backend)), MATCH_NOTHING_SELECTOR);
    }

    @Override
    public boolean isReady() {
        return destinationsReady;
    }

    private static String correlation(Message message) throws JMSException {
        String correlation = message.getJMSCorrelationID();
        return correlation == null ? "" : correlation;
    }

    private static String text(Message message) {
        try {
            if (message.propertyExists(LARGE_SIZE_PROPERTY)
                    && message.getLongProperty(LARGE_SIZE_PROPERTY) > MAX_BODY_BYTES) {
                throw new MalformedMessageException("the body has more than " + MAX_BODY_BYTES + " bytes");
            }
            @Nullable String text = null;
            if (message instanceof TextMessage plain) {
                text = plain.getText();
            } else if (message instanceof BytesMessage bytes && bytes.getBodyLength() <= MAX_BODY_BYTES) {
                byte[] content = new byte[(int) bytes.getBodyLength()];
                bytes.readBytes(content);
                text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(content))
                        .toString();
            }
            if (text == null || text.length() > MAX_BODY_BYTES) {
                throw new MalformedMessageException(
                        "the body is not text, or has more than " + MAX_BODY_BYTES + " bytes");
            }
            return text;
        } catch (JMSException | CharacterCodingException e) {
            throw new MalformedMessageException("no text");
        }
    }

    @Override
    public void sendCall(String correlation, ToolRequestMessage request, long worthMillis) {
        sender.send(OutgoingMessage.queue(
                        JmsDestinations.externalCalls(backend), request.encode(), correlation, replyQueue, worthMillis)
                .withTrace(request.call().trace()));
    }

    @Override
    public void sendCommand(ConnectorCommand command) {
        sender.send(OutgoingMessage.connectorCommand(backend, command));
    }

    @Override
    public boolean retractCall(String correlation) {
        synchronized (retractLock) {
            try {
                return retractCall(openRetractSession(), correlation);
            } catch (JMSException | RuntimeException e) {
                System.getLogger(JmsConnectorChannel.class.getName())
                        .log(Level.DEBUG, "a call of " + backend + " could not be retracted", e);
                closeRetractSession();
                return false;
            }
        }
    }

    private boolean retractCall(Session session, String correlation) throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(
                session.createQueue(JmsDestinations.externalCalls(backend)),
                "JMSCorrelationID = '" + correlation + "'")) {
            Message message = consumer.receiveNoWait();
            return singleDelivery && message != null && !message.getJMSRedelivered();
        }
    }

    /** Cached, because a connector that disappears may leave many calls to retract. */
    private Session openRetractSession() throws JMSException {
        Session kept = retractSession;
        if (kept == null) {
            Connection connection = connections.createConnection();
            retractConnection = connection;
            kept = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            connection.start();
            retractSession = kept;
        }
        return kept;
    }

    private void closeRetractSession() {
        Connection connection = retractConnection;
        retractSession = null;
        retractConnection = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (JMSException | RuntimeException e) {
                System.getLogger(JmsConnectorChannel.class.getName()).log(Level.DEBUG, "closing a connection", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        consumers.forEach(ReconnectingConsumer::close);
        consumers.clear();
        synchronized (retractLock) {
            closeRetractSession();
        }
    }
}
