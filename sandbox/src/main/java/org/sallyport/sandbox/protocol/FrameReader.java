package org.sallyport.sandbox.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/** Reads frames from a channel. Not thread-safe. */
final class FrameReader {
    private static final int READ_BUFFER_BYTES = 64 * 1024;

    private final ReadableByteChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    FrameReader(ReadableByteChannel channel) {
        this.channel = channel;
    }

    /** Waits for the next frame; see {@link FrameChannel#receive(int)}. */
    Frame read(int maxBytes) throws IOException {
        // A peer that may send only a short frame yet needs only a small buffer.
        ensureCapacity(Math.min(READ_BUFFER_BYTES, maxBytes));
        fill(FrameWriteBuffer.HEADER_BYTES);
        int length = buffer.getInt();
        if (length <= 0 || length > maxBytes) {
            throw new ProtocolException("frame length is not allowed");
        }
        // Memory is allocated as bytes arrive, so a large length alone costs nothing.
        byte[] bytes = new byte[Math.min(length, READ_BUFFER_BYTES)];
        int read = 0;
        while (read < length) {
            if (read == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(length, bytes.length * 2L));
            }
            if (!buffer.hasRemaining()) {
                fill(1);
            }
            int part = Math.min(buffer.remaining(), bytes.length - read);
            buffer.get(bytes, read, part);
            read += part;
        }
        return FrameCodec.read(bytes, length);
    }

    private void ensureCapacity(int bytes) {
        if (buffer.capacity() < bytes) {
            buffer = ByteBuffer.allocateDirect(bytes).put(buffer).flip();
        }
    }

    private void fill(int wanted) throws IOException {
        if (buffer.remaining() >= wanted) {
            return;
        }
        buffer.compact();
        try {
            while (buffer.position() < wanted) {
                if (channel.read(buffer) < 0) {
                    throw new EOFException();
                }
            }
        } finally {
            buffer.flip();
        }
    }
}
