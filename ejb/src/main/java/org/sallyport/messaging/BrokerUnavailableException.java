package org.sallyport.messaging;

/** The broker did not accept a message in time. No state is lost, because the database holds it. */
public final class BrokerUnavailableException extends RuntimeException {
    private final boolean maybeSent;

    /** Creates the exception for a message that the broker may have received. */
    public BrokerUnavailableException(String message, Throwable cause) {
        this(message, cause, true);
    }

    /** @param maybeSent whether the broker may have received the message, although it did not confirm that */
    public BrokerUnavailableException(String message, Throwable cause, boolean maybeSent) {
        super(message, cause);
        this.maybeSent = maybeSent;
    }

    /** Whether the broker may have received the message; false only if it certainly has not. */
    public boolean maybeSent() {
        return maybeSent;
    }
}
