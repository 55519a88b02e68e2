package org.sallyport.messaging;

/** A message that none of ours sent, or of another version: it is dropped, never obeyed. */
public final class MalformedMessageException extends RuntimeException {
    public MalformedMessageException(String message) {
        super(message);
    }
}
