package org.sallyport.messaging;

/** Sends messages. Thread-safe. */
public interface MessageSender {

    /**
     * Hands {@code message} to the broker; throws {@link BrokerUnavailableException} if the broker does not accept it,
     * which says whether the broker may have the message nevertheless.
     */
    void send(OutgoingMessage message);

    /**
     * Returns the number of messages in {@code queue} that no consumer has taken.
     *
     * @param maxCount upper bound of the count
     */
    int countWaiting(String queue, int maxCount);

    /** Throws {@link BrokerUnavailableException} if the broker does not answer. */
    void ping();
}
