package org.sallyport.messaging;

/** Sends messages. Thread-safe. */
public interface MessageSender {

    /** Hands {@code message} to the broker; throws {@link BrokerUnavailableException} when it does not take it. */
    void send(OutgoingMessage message);

    /** Throws {@link BrokerUnavailableException} unless the broker answers. */
    void ping();
}
