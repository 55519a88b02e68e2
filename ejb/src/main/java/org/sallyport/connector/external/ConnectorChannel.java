package org.sallyport.connector.external;

import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorCommand;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.ToolRequestMessage;

/** The destinations between this node and the connectors of one backend. Thread-safe. */
interface ConnectorChannel extends AutoCloseable {

    /** The text of a message; reading it throws {@link MalformedMessageException} when it has none or too much. */
    interface MessageBody {
        String text();
    }

    /** Hears what comes; where a method says something, it is whether somebody had asked for it. */
    interface ChannelReceiver {
        /** The destinations are there: {@link #isReady()} from now on. */
        void onReady();

        /** Somebody answers the call of that name. */
        boolean onReply(String correlation, MessageBody body);

        /** A connector says something of itself. */
        boolean onStatusMessage(MessageBody body);

        /** The call of that name was with a connector that is gone. */
        boolean onCallAbandoned(String correlation);
    }

    /** Begins to hear, until {@link #close()}. */
    void open(ChannelReceiver receiver);

    /** Whether the destinations are there, which connectors may not make. */
    boolean isReady();

    /** Sends a call; {@link BrokerUnavailableException} when it may not have been sent. */
    void sendCall(String correlation, ToolRequestMessage request, long worthMillis);

    /** Tells all connectors of the backend; {@link BrokerUnavailableException} when it may not have been sent. */
    void sendCommand(ConnectorCommand order);

    /** Takes a call back, so that nobody begins it; whether it is certain that no connector has had it. Waits for the broker. */
    boolean retractCall(String correlation);

    @Override
    void close();
}
