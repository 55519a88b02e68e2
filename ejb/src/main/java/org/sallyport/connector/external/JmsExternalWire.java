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
import org.sallyport.connector.Allowance;
import org.sallyport.connector.JmsReader;
import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.ConnectorOrder;
import org.sallyport.messaging.Destinations;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolRequestMessage;

/**
 * The destinations of one backend, over JMS. Answers, news and losses are read on a thread each. A connector that sends more of
 * what nobody asked for than it may is read slowly from then on: what it goes on sending waits at the broker, and then it waits.
 */
final class JmsExternalWire implements ExternalWire {
    private static final long LONGEST_BODY = 4L * 1024 * 1024;
    /** Says how long a message is whose body is not here yet. */
    private static final String LARGE = "_AMQ_LARGE_SIZE";

    /** Selects no message. */
    private static final String NOTHING = "JMSType = 'none'";

    private static final double UNASKED_AT_ONCE = 200;
    private static final double UNASKED_A_SECOND = 50;
    private static final long SLOW_MILLIS = 1_000 / (long) UNASKED_A_SECOND;

    private final String backend;
    private final String answers;
    private final boolean tells;
    private final ConnectionFactory connections;
    private final MessageSender sender;
    private final ThreadFactory threads;
    private final Allowance unasked = new Allowance(UNASKED_AT_ONCE, UNASKED_A_SECOND, System::nanoTime);
    private final List<JmsReader> readers = new ArrayList<>();
    private final Object takingBack = new Object();
    private @Nullable Connection takerConnection;
    private @Nullable Session taker;
    private volatile boolean prepared;

    /**
     * @param life of this connection, which others answer to by another queue
     * @param tells whether the broker lets nobody have a call that a connector has had, the service included
     */
    JmsExternalWire(
            String backend,
            String life,
            boolean tells,
            ConnectionFactory connections,
            MessageSender sender,
            ThreadFactory threads) {
        this.backend = backend;
        this.answers = Destinations.externalAnswers(backend, life);
        this.tells = tells;
        this.connections = connections;
        this.sender = sender;
        this.threads = threads;
    }

    @Override
    public synchronized void open(Receiver receiver) {
        String registrations = Destinations.externalRegistrations(backend);
        read(
                answers,
                session -> session.createConsumer(session.createQueue(answers)),
                message -> receiver.answered(correlation(message), () -> text(message)));
        read(
                registrations,
                session -> {
                    MessageConsumer consumer = session.createConsumer(session.createTopic(registrations));
                    prepare(session);
                    prepared = true;
                    receiver.prepared();
                    return consumer;
                },
                message -> receiver.news(() -> text(message)));
        read(
                Destinations.LOST + " for " + backend,
                session -> session.createConsumer(
                        session.createTopic(Destinations.LOST),
                        "_AMQ_ORIG_ADDRESS = '" + Destinations.externalCalls(backend) + "'"),
                message -> receiver.lost(correlation(message)));
    }

    private interface Heard {
        boolean wanted(Message message) throws JMSException;
    }

    private void read(String name, JmsReader.Source source, Heard heard) {
        readers.add(JmsReader.start(connections, threads, name, source, message -> hear(name, message, heard)));
    }

    /** Whatever a stranger sent: it costs its message and not the reader. */
    private void hear(String name, Message message, Heard heard) {
        boolean wanted = false;
        try {
            wanted = heard.wanted(message);
        } catch (JMSException | RuntimeException e) {
            System.getLogger(JmsExternalWire.class.getName())
                    .log(Level.DEBUG, "a message on " + name + " cannot be read", e);
        }
        if (!wanted && !unasked.take()) {
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A connector may not make destinations; the broker makes them when the service first listens there, and takes a topic away
     * when nobody does: the second of these consumers gets nothing and stays as long as the session.
     */
    private void prepare(Session session) throws JMSException {
        session.createConsumer(session.createQueue(Destinations.externalCalls(backend)), NOTHING)
                .close();
        session.createConsumer(session.createTopic(Destinations.externalOrders(backend)), NOTHING);
    }

    @Override
    public boolean ready() {
        return prepared;
    }

    private static String correlation(Message message) throws JMSException {
        String correlation = message.getJMSCorrelationID();
        return correlation == null ? "" : correlation;
    }

    private static String text(Message message) {
        try {
            if (message.propertyExists(LARGE) && message.getLongProperty(LARGE) > LONGEST_BODY) {
                throw new BadMessageException("more than " + LONGEST_BODY + " bytes");
            }
            @Nullable String text = null;
            if (message instanceof TextMessage plain) {
                text = plain.getText();
            } else if (message instanceof BytesMessage bytes && bytes.getBodyLength() <= LONGEST_BODY) {
                byte[] content = new byte[(int) bytes.getBodyLength()];
                bytes.readBytes(content);
                text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(content))
                        .toString();
            }
            if (text == null || text.length() > LONGEST_BODY) {
                throw new BadMessageException("no text, or one of more than " + LONGEST_BODY + " bytes");
            }
            return text;
        } catch (JMSException | CharacterCodingException e) {
            throw new BadMessageException("no text");
        }
    }

    @Override
    public void call(String correlation, ToolRequestMessage request, long worthMillis) {
        sender.send(OutgoingMessage.queue(
                        Destinations.externalCalls(backend), request.encode(), correlation, answers, worthMillis)
                .in(request.call().trace()));
    }

    @Override
    public void order(ConnectorOrder order) {
        sender.send(OutgoingMessage.order(backend, order));
    }

    @Override
    public boolean takeBack(String correlation) {
        synchronized (takingBack) {
            try {
                return takeBack(taker(), correlation);
            } catch (JMSException | RuntimeException e) {
                System.getLogger(JmsExternalWire.class.getName())
                        .log(Level.DEBUG, "a call of " + backend + " could not be taken back", e);
                closeTaker();
                return false;
            }
        }
    }

    private boolean takeBack(Session session, String correlation) throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(
                session.createQueue(Destinations.externalCalls(backend)), "JMSCorrelationID = '" + correlation + "'")) {
            Message message = consumer.receiveNoWait();
            return tells && message != null && !message.getJMSRedelivered();
        }
    }

    /** Kept: a connector that goes away may leave many calls behind. */
    private Session taker() throws JMSException {
        Session kept = taker;
        if (kept == null) {
            Connection connection = connections.createConnection();
            takerConnection = connection;
            kept = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            connection.start();
            taker = kept;
        }
        return kept;
    }

    private void closeTaker() {
        Connection connection = takerConnection;
        taker = null;
        takerConnection = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (JMSException | RuntimeException e) {
                System.getLogger(JmsExternalWire.class.getName()).log(Level.DEBUG, "closing a connection", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        readers.forEach(JmsReader::close);
        readers.clear();
        synchronized (takingBack) {
            closeTaker();
        }
    }
}
