package org.sallyport.connector;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.sallyport.messaging.BadMessageException;

/**
 * A reader for each backend that was configured at run time. Its thread only hands calls over, so none waits behind another
 * backend's.
 */
public final class JmsBackendQueues implements BackendQueues {
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
        JmsReader reader = JmsReader.start(
                connections, threads, queue, session -> session.createConsumer(session.createQueue(queue)), this::take);
        return new Listening() {
            @Override
            public void close() {
                reader.close();
            }

            @Override
            public void awaitEnd(Duration most) throws InterruptedException {
                reader.awaitEnd(most);
            }
        };
    }

    private void take(Message message) throws JMSException {
        try {
            Requests.handle(message, host);
        } catch (BadMessageException e) {
            System.getLogger(JmsBackendQueues.class.getName())
                    .log(Level.WARNING, "dropped a message that is no call: {0}", e.getMessage());
        }
    }
}
