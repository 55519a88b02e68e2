package org.sallyport.messaging;

/** The broker did not take a message in time. Nothing is lost: the database still knows what the message would have said. */
public final class BrokerUnavailableException extends RuntimeException {
    public BrokerUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
