package org.sallyport.sandbox.protocol;

import java.io.IOException;

/** The peer has not read many earlier frames. No part of the frame was sent; the channel stays usable. */
public final class PeerNotReadingException extends IOException {
    private static final long serialVersionUID = 1L;

    PeerNotReadingException(long unwrittenBytes) {
        super(unwrittenBytes + " bytes are not read");
    }
}
