package org.sallyport.connector;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.lang.System.Logger.Level;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.messaging.BadMessageException;

/**
 * One long-lived consumer and one thread for each backend that was configured at run time: message-driven beans cannot be
 * added to a running application. The thread only hands calls over, so none waits behind another backend's.
 */
public final class JmsBackendQueues implements BackendQueues {
    private static final long LOOK_MILLIS = 1_000;
    private static final long AGAIN_MILLIS = 1_000;

    private final ConnectionFactory connections;
    private final ConnectorHost host;
    private final ThreadFactory threads;

    public JmsBackendQueues(ConnectionFactory connections, ConnectorHost host, ThreadFactory threads) {
        this.connections = connections;
        this.host = host;
        this.threads = threads;
    }

    @Override
    public Listening listen(String queue) {
        Consumer consumer = new Consumer(queue);
        threads.newThread(consumer).start();
        return consumer;
    }

    private final class Consumer implements Runnable, Listening {
        private final String queue;
        private volatile boolean closed;

        Consumer(String queue) {
            this.queue = queue;
        }

        @Override
        public void run() {
            while (!closed) {
                try (Connection connection = connections.createConnection();
                        Session session = connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
                        MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
                    connection.start();
                    while (!closed) {
                        take(consumer.receive(LOOK_MILLIS));
                    }
                } catch (JMSException | RuntimeException e) {
                    if (!closed) {
                        System.getLogger(JmsBackendQueues.class.getName())
                                .log(
                                        Level.WARNING,
                                        "listening on " + queue + " failed; trying again: {0}",
                                        e.getMessage());
                        pause();
                    }
                }
            }
        }

        private void take(@Nullable Message message) throws JMSException {
            if (message == null) {
                return;
            }
            try {
                Requests.handle(message, host);
            } catch (BadMessageException e) {
                System.getLogger(JmsBackendQueues.class.getName())
                        .log(Level.WARNING, "dropped a message that is no call: {0}", e.getMessage());
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
    }
}
