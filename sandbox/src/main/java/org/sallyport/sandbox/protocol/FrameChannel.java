package org.sallyport.sandbox.protocol;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;

/**
 * Sends and receives frames over a connected channel. One thread may read; any thread may write. It reads and writes
 * the channel itself, because the JDK's input and output streams of one channel block each other.
 */
public final class FrameChannel implements Closeable {
    private static final int HEADER_BYTES = 4;
    private static final int READ_BUFFER_BYTES = 64 * 1024;
    private static final int FLUSH_THRESHOLD_BYTES = 64 * 1024;
    private static final int WRITE_CHUNK_BYTES = 64 * 1024;

    private final SocketChannel channel;
    private final Executor writeExecutor;
    private final Object writeLock = new Object();
    private final FrameWriteBuffer pending = new FrameWriteBuffer();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BUFFER_BYTES);
    private volatile long writeStarted;

    public FrameChannel(SocketChannel channel) {
        this(channel, Runnable::run);
    }

    /**
     * @param writer runs the writes that {@link #enqueue} triggers, instead of the calling thread; needed when that
     *     thread may be interrupted, since an interrupt during channel I/O closes the channel for all threads
     */
    public FrameChannel(SocketChannel channel, Executor writer) {
        this.channel = channel;
        this.writeExecutor = writer;
        readBuffer.limit(0);
    }

    /** Writes a frame, and all frames that were enqueued before it, at once. */
    public void send(Frame frame) throws IOException {
        synchronized (writeLock) {
            append(frame);
            flushPending();
        }
    }

    /**
     * Buffers a frame for the next {@link #flush} or {@link #send}; if the buffer is full, waits until it is written.
     */
    public void enqueue(Frame frame) throws IOException {
        synchronized (writeLock) {
            append(frame);
            if (pending.size() >= FLUSH_THRESHOLD_BYTES) {
                writeExecutor.execute(this::flushQuietly);
                awaitWritten();
            }
        }
    }

    private void flushQuietly() {
        try {
            flush();
        } catch (IOException broken) {
            // The next write meets the same failure.
        }
    }

    private void awaitWritten() {
        boolean interrupted = false;
        while (pending.size() >= FLUSH_THRESHOLD_BYTES) {
            try {
                writeLock.wait();
            } catch (InterruptedException afterwards) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes all buffered frames. */
    public void flush() throws IOException {
        synchronized (writeLock) {
            flushPending();
        }
    }

    /** Returns the {@link System#nanoTime} since which a write waits for the peer to read; 0 when no write waits. */
    public long writeBlockedSince() {
        return writeStarted;
    }

    /**
     * Waits for the next frame.
     *
     * @throws EOFException when the peer has closed the channel
     * @throws ProtocolException when the peer sent invalid data; the channel is unusable afterwards
     */
    public Frame receive() throws IOException {
        fill(HEADER_BYTES);
        int length = readBuffer.getInt();
        if (length <= 0 || length > FrameCodec.MAX_FRAME_BYTES) {
            throw new ProtocolException("frame length is not allowed");
        }
        // Memory is allocated as bytes arrive, so a large length alone costs nothing.
        byte[] bytes = new byte[Math.min(length, READ_BUFFER_BYTES)];
        int read = 0;
        while (read < length) {
            if (read == bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, (int) Math.min(length, bytes.length * 2L));
            }
            if (!readBuffer.hasRemaining()) {
                fill(1);
            }
            int part = Math.min(readBuffer.remaining(), bytes.length - read);
            readBuffer.get(bytes, read, part);
            read += part;
        }
        return FrameCodec.read(bytes, length);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // The channel is already closed.
        }
    }

    private void append(Frame frame) throws IOException {
        int start = pending.size();
        pending.write(0);
        pending.write(0);
        pending.write(0);
        pending.write(0);
        FrameCodec.write(frame, pending);
        int length = pending.size() - start - HEADER_BYTES;
        if (length > FrameCodec.MAX_FRAME_BYTES) {
            pending.truncate(start);
            throw new FrameTooLargeException(length);
        }
        pending.putInt(start, length);
    }

    private void flushPending() throws IOException {
        if (pending.size() == 0) {
            return;
        }
        // An interrupt during channel I/O would close the channel for all threads.
        boolean interrupted = Thread.interrupted();
        writeStarted = System.nanoTime();
        try {
            ByteBuffer bytes = pending.bytes();
            int end = bytes.limit();
            while (bytes.position() < end) {
                // Written in chunks, to distinguish a slow reader from one that has stopped reading.
                bytes.limit(Math.min(end, bytes.position() + WRITE_CHUNK_BYTES));
                if (channel.write(bytes) < 0) {
                    throw new EOFException();
                }
                writeStarted = System.nanoTime();
            }
        } finally {
            writeStarted = 0;
            pending.clear();
            writeLock.notifyAll();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void fill(int wanted) throws IOException {
        if (readBuffer.remaining() >= wanted) {
            return;
        }
        readBuffer.compact();
        try {
            while (readBuffer.position() < wanted) {
                if (channel.read(readBuffer) < 0) {
                    throw new EOFException();
                }
            }
        } finally {
            readBuffer.flip();
        }
    }

    /** A buffer whose bytes are accessible without a copy. */
    private static final class FrameWriteBuffer extends ByteArrayOutputStream {
        private static final int MAX_RETAINED_BYTES = 256 * 1024;

        FrameWriteBuffer() {
            super(4096);
        }

        ByteBuffer bytes() {
            return ByteBuffer.wrap(buf, 0, count);
        }

        void putInt(int at, int value) {
            ByteBuffer.wrap(buf, at, HEADER_BYTES).putInt(value);
        }

        void truncate(int size) {
            count = size;
        }

        void clear() {
            reset();
            if (buf.length > MAX_RETAINED_BYTES) {
                buf = new byte[4096];
            }
        }
    }
}
