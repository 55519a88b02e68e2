package org.sallyport.sandbox.protocol;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Encoded frames that are not written yet, in their order. Small frames share a buffer, so that one write takes many of
 * them. Not thread-safe.
 */
final class FrameQueue {
    /** A buffer of this size takes no further frame. */
    private static final int FULL_BUFFER_BYTES = 64 * 1024;

    private final Deque<FrameWriteBuffer> buffers = new ArrayDeque<>();
    private @Nullable FrameWriteBuffer spareBuffer;
    private long unwrittenBytes;

    void add(Frame frame) throws IOException {
        FrameWriteBuffer last = buffers.peekLast();
        if (last == null || last.size() >= FULL_BUFFER_BYTES) {
            last = takeEmptyBuffer();
            buffers.add(last);
        }
        int before = last.size();
        last.append(frame);
        unwrittenBytes += last.size() - before;
    }

    /** Returns how many buffers wait to be written. */
    int bufferCount() {
        return buffers.size();
    }

    /**
     * Removes the first buffer for a write. Its bytes count as unwritten until {@link #bufferWritten}.
     *
     * @throws java.util.NoSuchElementException when no buffer waits
     */
    FrameWriteBuffer removeFirst() {
        return buffers.removeFirst();
    }

    /** Takes back a buffer whose bytes were written. */
    void bufferWritten(FrameWriteBuffer buffer) {
        unwrittenBytes -= buffer.size();
        buffer.clear();
        spareBuffer = buffer;
    }

    /** Drops all frames, including those of a removed buffer. */
    void clear() {
        buffers.clear();
        spareBuffer = null;
        unwrittenBytes = 0;
    }

    long unwrittenBytes() {
        return unwrittenBytes;
    }

    private FrameWriteBuffer takeEmptyBuffer() {
        FrameWriteBuffer spare = spareBuffer;
        spareBuffer = null;
        return spare == null ? new FrameWriteBuffer() : spare;
    }
}
