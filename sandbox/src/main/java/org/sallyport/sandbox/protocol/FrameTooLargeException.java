package org.sallyport.sandbox.protocol;

import java.io.IOException;

/** An outgoing frame exceeds {@link FrameCodec#MAX_FRAME_BYTES}. No part of it was sent; the channel stays usable. */
public final class FrameTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    FrameTooLargeException(int length) {
        super("frame of " + length + " bytes");
    }
}
