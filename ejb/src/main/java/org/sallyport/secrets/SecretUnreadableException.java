package org.sallyport.secrets;

/**
 * A secret is not available: it is not stored, or this node cannot decrypt it. The message contains its name and no
 * value.
 */
public class SecretUnreadableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public SecretUnreadableException(String message) {
        super(message);
    }
}
