package org.sallyport.connector;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.sallyport.messaging.MalformedMessageException;

/**
 * Starts one consumer for each backend that was configured at run time. The consumer thread only hands calls over, so
 * that no call waits for the calls of another backend. The broker sends one call at a time, so that calls that are not
 * handed over yet stay in the queue, where another node can take them. Thread-safe.
 */
public final class JmsBackendConsumers implements BackendConsumers {
    private final ConnectionFactory connections;
    private final ConnectorDispatcher dispatcher;
    private final ThreadFactory threads;

    public JmsBackendConsumers(ConnectionFactory connections, ConnectorDispatcher host, ThreadFactory threads) {
        this.connections = connections;
        this.dispatcher = host;
        this.threads = threads;
    }

    @Override
    public Subscription subscribe(String queue) {
        ReconnectingConsumer reader = ReconnectingConsumer.start(
                connections,
                threads,
                queue,
                session -> session.createConsumer(session.createQueue(queue)),
                this::dispatch);
        return new Subscription() {
            @Override
            public void close() {
                reader.close();
            }

            @Override
            public void awaitTermination(Duration timeout) throws InterruptedException {
                reader.awaitTermination(timeout);
            }
        };
    }

    private void dispatch(Message message) throws JMSException {
        try {
            ToolRequestReader.readAndDispatch(message, dispatcher);
        } catch (MalformedMessageException e) {
            System.getLogger(JmsBackendConsumers.class.getName())
                    .log(Level.WARNING, "dropped an invalid call message: {0}", e.getMessage());
        }
    }
}
