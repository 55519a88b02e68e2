package org.sallyport.sandbox.protocol;

import java.io.IOException;

/** The other side sent what no healthy one sends. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message what is wrong, without any of the other side's own words */
    public ProtocolException(String message) {
        super(message);
    }
}
