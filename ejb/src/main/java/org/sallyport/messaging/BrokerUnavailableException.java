package org.sallyport.messaging;

/** The broker did not accept a message in time. No state is lost, because the database holds it. */
public final class BrokerUnavailableException extends RuntimeException {
    public BrokerUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
