package org.sallyport.sandbox.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Encoded frames, each prefixed with its length, whose bytes are accessible without a copy. Not thread-safe. */
final class FrameWriteBuffer extends ByteArrayOutputStream {
    /** Bytes of the length before each frame. */
    static final int HEADER_BYTES = 4;

    private static final int INITIAL_BYTES = 4096;
    private static final int MAX_RETAINED_BYTES = 256 * 1024;

    FrameWriteBuffer() {
        super(INITIAL_BYTES);
    }

    /** Encodes a frame. When that fails, the buffer is as before. */
    void append(Frame frame) throws IOException {
        int start = count;
        boolean complete = false;
        try {
            for (int i = 0; i < HEADER_BYTES; i++) {
                write(0);
            }
            FrameCodec.write(frame, this);
            int length = count - start - HEADER_BYTES;
            if (length > FrameCodec.MAX_FRAME_BYTES) {
                throw new FrameTooLargeException(length);
            }
            ByteBuffer.wrap(buf, start, HEADER_BYTES).putInt(length);
            complete = true;
        } finally {
            if (!complete) {
                count = start;
            }
        }
    }

    ByteBuffer bytes() {
        return ByteBuffer.wrap(buf, 0, count);
    }

    void clear() {
        reset();
        if (buf.length > MAX_RETAINED_BYTES) {
            buf = new byte[INITIAL_BYTES];
        }
    }
}
