package org.sallyport.messaging;

/** The message was not sent by this service, or has another version. The receiver drops it and never acts on it. */
public final class MalformedMessageException extends RuntimeException {
    public MalformedMessageException(String message) {
        super(message);
    }
}
