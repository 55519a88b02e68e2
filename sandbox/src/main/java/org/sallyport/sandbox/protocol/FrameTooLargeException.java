package org.sallyport.sandbox.protocol;

import java.io.IOException;

/** A frame of one's own is longer than {@link FrameCodec#MAX_FRAME_BYTES}. Nothing of it was sent; the channel stays good. */
public final class FrameTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    FrameTooLargeException(int length) {
        super("frame of " + length + " bytes");
    }
}
