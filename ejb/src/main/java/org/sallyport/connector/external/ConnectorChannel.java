package org.sallyport.connector.external;

import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorCommand;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.ToolRequestMessage;

/** The JMS destinations between this node and the connectors of one backend. Thread-safe. */
interface ConnectorChannel extends AutoCloseable {

    /**
     * The text of a message. Reading it throws {@link MalformedMessageException} if the message has no text or is too
     * large.
     */
    interface MessageBody {
        String text();
    }

    /** Receives messages of connectors. A method with a result returns whether the message was expected. */
    interface ChannelReceiver {
        /** The destinations exist: {@link #isReady()} returns true from now on. */
        void onReady();

        /** A connector answers the call with that correlation id. */
        boolean onReply(String correlation, MessageBody body);

        /** A connector sent a status message. */
        boolean onStatusMessage(MessageBody body);

        /** The connector that held the call with that correlation id is gone. */
        boolean onCallAbandoned(String correlation);
    }

    /** Starts to receive messages, until {@link #close()}. */
    void open(ChannelReceiver receiver);

    /** Whether the destinations exist; connectors are not allowed to create them. */
    boolean isReady();

    /** Sends a call; throws {@link BrokerUnavailableException}, which says whether it may have been sent. */
    void sendCall(String correlation, ToolRequestMessage request, long worthMillis);

    /**
     * Sends a command to all connectors of the backend; throws {@link BrokerUnavailableException} if it may not have
     * been sent.
     */
    void sendCommand(ConnectorCommand command);

    /**
     * Removes a call from the queue, so that no connector starts it. Returns true only if it is certain that no
     * connector received the call. Blocks on the broker.
     */
    boolean retractCall(String correlation);

    @Override
    void close();
}
