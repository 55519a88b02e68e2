package org.sallyport.messaging;

/** Sends messages. Thread-safe. */
public interface MessageSender {

    /** Hands {@code message} to the broker; throws {@link BrokerUnavailableException} when it does not take it. */
    void send(OutgoingMessage message);

    /**
     * Messages that wait in {@code queue} and nobody has taken.
     *
     * @param most where counting ends
     */
    int countWaiting(String queue, int most);

    /** Throws {@link BrokerUnavailableException} unless the broker answers. */
    void ping();
}
