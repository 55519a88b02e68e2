package org.sallyport.sandbox.protocol;

import java.io.IOException;

/** The peer violated the protocol. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message the violation, without any text from the peer
     */
    public ProtocolException(String message) {
        super(message);
    }
}
