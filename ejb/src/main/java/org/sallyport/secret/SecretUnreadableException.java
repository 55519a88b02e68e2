package org.sallyport.secret;

/** A secret cannot be had: it is not stored, or this node cannot open it. The message names it, and holds no value. */
public final class SecretUnreadableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public SecretUnreadableException(String message) {
        super(message);
    }
}
