package org.sallyport.bench.floor;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.measure.WrongResultException;

/**
 * Measures request and reply over {@link BareBroker}: request queue, listener, reply queue, listener. Uses the same
 * numbers of sessions and the same settings of sessions as the tool calls of the service. Thread-safe.
 */
public final class BareJms implements TimedOperation, AutoCloseable {
    private static final String REQUESTS = "sallyport.tool.bench";
    private static final String REPLIES = "sallyport.reply.bench";
    private static final int REQUEST_SESSIONS = 8;
    private static final int REPLY_SESSIONS = 2;
    private static final int REPLY_WINDOW_BYTES = 16 * 1024;
    private static final long TIMEOUT_SECONDS = 30;
    private static final long EXPIRY_MILLIS = 30_000;
    private static final int PRIORITY = 4;
    /** As long as a call with small arguments. */
    private static final String PADDING = "x".repeat(240);

    private final Connection connection;
    private final Connection replyConnection;
    private final BlockingDeque<BareJmsSession> idle = new LinkedBlockingDeque<>();
    private final Map<String, CompletableFuture<String>> pendingReplies = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /** @param replyConnection receives replies; {@code connection} does everything else */
    private BareJms(Connection connection, Connection replyConnection) {
        this.connection = connection;
        this.replyConnection = replyConnection;
    }

    /** Connects to the broker in this process. */
    public static BareJms connect() throws JMSException {
        BareJms jms = new BareJms(
                factory(0).createConnection(), factory(REPLY_WINDOW_BYTES).createConnection());
        for (int i = 0; i < REQUEST_SESSIONS; i++) {
            jms.startResponder(new BareJmsSession(session(jms.connection)));
        }
        for (int i = 0; i < REPLY_SESSIONS; i++) {
            Session session = session(jms.replyConnection);
            session.createConsumer(session.createQueue(REPLIES)).setMessageListener(jms::onReply);
        }
        jms.connection.start();
        jms.replyConnection.start();
        return jms;
    }

    private static ActiveMQConnectionFactory factory(int consumerWindowBytes) {
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://0");
        factory.setConsumerWindowSize(consumerWindowBytes);
        factory.setBlockOnDurableSend(true);
        factory.setBlockOnNonDurableSend(false);
        return factory;
    }

    private static Session session(Connection connection) throws JMSException {
        return connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
    }

    private void startResponder(BareJmsSession sender) throws JMSException {
        sender.session.createConsumer(sender.requests).setMessageListener(message -> {
            try {
                sender.send(
                        message.getJMSReplyTo() instanceof Queue queue ? queue : sender.replies,
                        message.getBody(String.class),
                        message.getJMSCorrelationID(),
                        null);
            } catch (JMSException e) {
                failure.set(e);
            }
        });
    }

    private void onReply(Message message) {
        try {
            CompletableFuture<String> reply = pendingReplies.remove(message.getJMSCorrelationID());
            if (reply != null) {
                reply.complete(message.getBody(String.class));
            }
        } catch (JMSException e) {
            failure.set(e);
        }
    }

    @Override
    public long runOnce(long number) throws Exception {
        String correlation = UUID.randomUUID().toString();
        String body = number + PADDING;
        CompletableFuture<String> reply = new CompletableFuture<>();
        BareJmsSession taken = idle.pollFirst();
        BareJmsSession sender = taken != null ? taken : new BareJmsSession(session(connection));
        long start = System.nanoTime();
        pendingReplies.put(correlation, reply);
        sender.send(sender.requests, body, correlation, sender.replies);
        idle.addFirst(sender);
        String answer = reply.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        long nanos = System.nanoTime() - start;
        Exception failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        if (!answer.equals(body)) {
            throw new WrongResultException("the broker of the baseline returned the reply of another request");
        }
        return nanos;
    }

    @Override
    public void close() throws JMSException {
        replyConnection.close();
        connection.close();
    }

    /** One session with its producer. Used by one thread at a time. */
    private static final class BareJmsSession {
        private final Session session;
        private final MessageProducer producer;
        private final Queue requests;
        private final Queue replies;

        BareJmsSession(Session session) throws JMSException {
            this.session = session;
            this.producer = session.createProducer(null);
            this.producer.setDisableMessageTimestamp(true);
            this.requests = session.createQueue(REQUESTS);
            this.replies = session.createQueue(REPLIES);
        }

        void send(Queue to, String body, String correlation, @Nullable Queue replyTo) throws JMSException {
            TextMessage message = session.createTextMessage(body);
            message.setJMSCorrelationID(correlation);
            if (replyTo != null) {
                message.setJMSReplyTo(replyTo);
            }
            producer.send(to, message, DeliveryMode.NON_PERSISTENT, PRIORITY, EXPIRY_MILLIS);
        }
    }
}
