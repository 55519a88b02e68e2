package org.sallyport.variable;

/** Pinned variables cannot be decrypted on this node. The message contains no value. */
public final class VariablesUnreadableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public VariablesUnreadableException(String message) {
        super(message);
    }
}
