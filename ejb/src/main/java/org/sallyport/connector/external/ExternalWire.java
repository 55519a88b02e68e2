package org.sallyport.connector.external;

import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorOrder;
import org.sallyport.messaging.ToolRequestMessage;

/** The destinations between this node and the connectors of one backend. Thread-safe. */
interface ExternalWire extends AutoCloseable {

    /** The text of a message; reading it throws {@link BadMessageException} when it has none or too much. */
    interface Body {
        String text();
    }

    /** Hears what comes; where a method says something, it is whether somebody had asked for it. */
    interface Receiver {
        /** The destinations are there: {@link #ready()} from now on. */
        void prepared();

        /** Somebody answers the call of that name. */
        boolean answered(String correlation, Body body);

        /** A connector says something of itself. */
        boolean news(Body body);

        /** The call of that name was with a connector that is gone. */
        boolean lost(String correlation);
    }

    /** Begins to hear, until {@link #close()}. */
    void open(Receiver receiver);

    /** Whether the destinations are there, which connectors may not make. */
    boolean ready();

    /** Sends a call; {@link BrokerUnavailableException} when it may not have been sent. */
    void call(String correlation, ToolRequestMessage request, long worthMillis);

    /** Tells all connectors of the backend; {@link BrokerUnavailableException} when it may not have been sent. */
    void order(ConnectorOrder order);

    /** Takes a call back, so that nobody begins it; whether it is certain that no connector has had it. Waits for the broker. */
    boolean takeBack(String correlation);

    @Override
    void close();
}
