package org.sallyport.web.async;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a response, in chunks that are never copied. Reserves memory before it allocates more than
 * {@link #MAX_UNRESERVED_BYTES}. Without memory, it drops all its bytes and those that follow. Thread-safe, because the
 * container may end a request while its response is written.
 */
final class ResponseBuffer implements AutoCloseable {
    /** Bytes of a response for which no memory is reserved while it is built: the number of threads bounds them. */
    static final int MAX_UNRESERVED_BYTES = 64 << 10;

    private static final int MIN_CHUNK_BYTES = 1 << 10;
    private static final int MAX_CHUNK_BYTES = 64 << 10;

    private final ResponseMemory memory;
    private final Deque<ResponseChunk> chunks = new ArrayDeque<>();
    private long size;
    /** Total length of the chunks, used or not. */
    private long capacity;

    private long reserved;
    private long refusedBytes;
    private boolean closed;

    /** A part of a response. */
    private static final class ResponseChunk {
        private final byte[] bytes;
        private int length;

        ResponseChunk(int capacity) {
            this.bytes = new byte[capacity];
        }

        int append(byte[] from, int offset, int count) {
            int fitting = Math.min(count, bytes.length - length);
            System.arraycopy(from, offset, bytes, length, fitting);
            length += fitting;
            return fitting;
        }
    }

    ResponseBuffer(ResponseMemory memory) {
        this.memory = memory;
    }

    /** Who shares the memory. */
    String owner() {
        return memory.owner();
    }

    /** Number of bytes that are not sent. */
    synchronized long size() {
        return size;
    }

    /** Whether memory was missing for bytes of this response, so that it has none. */
    synchronized boolean isRefused() {
        return refusedBytes > 0;
    }

    /** Whether this response needs more memory than one response can reserve. */
    synchronized boolean isTooLarge() {
        return refusedBytes > memory.maxBytes();
    }

    synchronized void write(byte[] from, int offset, int length) {
        int written = 0;
        while (written < length && !closed && !isRefused()) {
            ResponseChunk last = chunks.peekLast();
            if (last == null || last.length == last.bytes.length) {
                last = addChunk();
            }
            if (last != null) {
                int count = last.append(from, offset + written, length - written);
                written += count;
                size += count;
            }
        }
    }

    private @Nullable ResponseChunk addChunk() {
        int length = (int) Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, capacity));
        long needed = capacity + length;
        if (needed > MAX_UNRESERVED_BYTES && !reserve(needed)) {
            dropAll();
            refusedBytes = needed;
            return null;
        }
        ResponseChunk added = new ResponseChunk(length);
        chunks.add(added);
        capacity = needed;
        return added;
    }

    private boolean reserve(long needed) {
        if (needed > reserved) {
            if (!memory.tryGrow(needed - reserved)) {
                return false;
            }
            reserved = needed;
        }
        return true;
    }

    /** Reserves memory for bytes that will be written; returns false without memory. */
    synchronized boolean reserveAhead(long bytes) {
        return closed || reserve(reserved + bytes);
    }

    /** Reserves memory for all bytes, because the response will wait for its client; returns false without memory. */
    synchronized boolean reserveAll() {
        return reserve(capacity);
    }

    /** Writes all bytes at once, and keeps them. Only for a response without reserved memory. */
    synchronized void copyTo(OutputStream out) throws IOException {
        if (chunks.size() == 1) {
            ResponseChunk only = chunks.getFirst();
            out.write(only.bytes, 0, only.length);
        } else if (size > 0) {
            byte[] all = new byte[(int) size];
            int at = 0;
            for (ResponseChunk each : chunks) {
                System.arraycopy(each.bytes, 0, all, at, each.length);
                at += each.length;
            }
            out.write(all);
        }
    }

    /** Writes the first bytes, of at most 64 KiB, and frees their memory. */
    synchronized void moveChunkTo(OutputStream out) throws IOException {
        ResponseChunk first = chunks.poll();
        if (first != null) {
            size -= first.length;
            capacity -= first.bytes.length;
            out.write(first.bytes, 0, first.length);
            long freed = Math.min(reserved, first.bytes.length);
            reserved -= freed;
            memory.shrink(freed);
        }
    }

    /** Drops all bytes. Others may follow, also if these found no memory. */
    synchronized void clear() {
        dropAll();
        refusedBytes = 0;
    }

    private void dropAll() {
        chunks.clear();
        size = 0;
        capacity = 0;
        reserved = 0;
        memory.close();
    }

    /** Drops all bytes and those that follow. */
    @Override
    public synchronized void close() {
        clear();
        closed = true;
    }
}
