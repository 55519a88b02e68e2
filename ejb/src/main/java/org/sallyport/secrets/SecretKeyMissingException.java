package org.sallyport.secrets;

/** This node does not have the key that encrypted a secret. Another node, or this one after a restart, may have it. */
public final class SecretKeyMissingException extends SecretUnreadableException {
    private static final long serialVersionUID = 1L;

    public SecretKeyMissingException(String message) {
        super(message);
    }
}
