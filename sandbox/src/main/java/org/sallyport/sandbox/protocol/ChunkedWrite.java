package org.sallyport.sandbox.protocol;

import java.nio.ByteBuffer;

/**
 * A buffer that is being written, in chunks, to distinguish a peer that reads slowly from one that has stopped reading.
 * Not thread-safe.
 */
final class ChunkedWrite {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final FrameWriteBuffer buffer;
    private final ByteBuffer chunk;

    ChunkedWrite(FrameWriteBuffer buffer) {
        this.buffer = buffer;
        this.chunk = buffer.bytes().limit(0);
    }

    FrameWriteBuffer buffer() {
        return buffer;
    }

    boolean hasRemaining() {
        return chunk.position() < buffer.size();
    }

    /** Returns the rest of the current chunk, or the next one. */
    ByteBuffer chunk() {
        if (!chunk.hasRemaining()) {
            chunk.limit(Math.min(buffer.size(), chunk.position() + CHUNK_BYTES));
        }
        return chunk;
    }
}
