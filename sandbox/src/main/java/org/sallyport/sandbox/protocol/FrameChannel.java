package org.sallyport.sandbox.protocol;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends and receives frames over a connected channel. One thread may read; any thread may write. It reads and writes
 * the channel itself, because the JDK's input and output streams of one channel block each other.
 */
public final class FrameChannel implements Closeable {
    private static final int FLUSH_THRESHOLD_BYTES = 64 * 1024;
    private static final int WRITE_CHUNK_BYTES = 64 * 1024;
    /** Bytes that may wait for a peer that has stopped reading. */
    private static final int MAX_STALLED_BYTES = 16 << 20;
    /** Bytes that may wait for a peer that still reads: a burst of answers may arrive faster than it parses them. */
    private static final int MAX_UNWRITTEN_BYTES = 32 << 20;

    private static final long STALLED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final SocketChannel channel;
    private final FrameReader reader;
    private final Executor writeExecutor;
    /** Held during a write, which may wait for the peer. Is taken before {@link #queueLock}. */
    private final Object writeLock = new Object();
    /** Never held while a thread waits for the peer. */
    private final Object queueLock = new Object();
    // Guarded by queueLock.
    private final FrameQueue queue = new FrameQueue();
    private boolean writeFailed;
    private volatile boolean closed;
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
        this.reader = new FrameReader(channel);
    }

    /** Writes a frame, and all frames that were enqueued before it, at once. Waits for the peer. */
    public void send(Frame frame) throws IOException {
        append(frame);
        flush();
    }

    /**
     * Buffers a frame for the next {@link #flush} or {@link #send}; if the buffer is full, waits until it is written.
     */
    public void enqueue(Frame frame) throws IOException {
        if (append(frame) >= FLUSH_THRESHOLD_BYTES) {
            writeExecutor.execute(this::flushQuietly);
            awaitUninterruptibly(() -> queue.unwrittenBytes() < FLUSH_THRESHOLD_BYTES);
        }
    }

    /**
     * Hands a frame to the thread that runs {@link #writeOffered}. Never waits for the peer. Frames keep the order in
     * which they are offered. Drops the frame when the channel is closed or a write has failed.
     *
     * @throws PeerNotReadingException when the peer has left 32 MiB unread, or 16 MiB without reading for half a second
     * @throws FrameTooLargeException when the frame is too long; it is dropped
     */
    public void offer(Frame frame) throws IOException {
        synchronized (queueLock) {
            if (closed || writeFailed) {
                return;
            }
            long blockedSince = writeStarted;
            long blockedNanos = blockedSince == 0 ? 0 : System.nanoTime() - blockedSince;
            if (!hasCapacity(queue.unwrittenBytes(), blockedNanos)) {
                throw new PeerNotReadingException(queue.unwrittenBytes());
            }
            queue.add(frame);
            queueLock.notifyAll();
        }
    }

    /** Returns whether a further frame may wait, whatever its length. */
    static boolean hasCapacity(long unwrittenBytes, long blockedNanos) {
        return unwrittenBytes < (blockedNanos < STALLED_NANOS ? MAX_UNWRITTEN_BYTES : MAX_STALLED_BYTES);
    }

    /**
     * Writes offered frames until the channel is closed. Needs a thread of its own.
     *
     * @throws IOException when a write fails while the channel is open; later frames are dropped
     */
    public void writeOffered() throws IOException {
        while (awaitOffered()) {
            try {
                flush();
            } catch (IOException failure) {
                if (!closed) {
                    throw failure;
                }
            }
        }
    }

    private boolean awaitOffered() {
        awaitUninterruptibly(() -> closed || queue.bufferCount() > 0);
        return !closed;
    }

    private void flushQuietly() {
        try {
            flush();
        } catch (IOException broken) {
            // The next write meets the same failure.
        }
    }

    /** Waits for a condition of the queue. */
    private void awaitUninterruptibly(BooleanSupplier condition) {
        boolean interrupted = false;
        synchronized (queueLock) {
            while (!condition.getAsBoolean()) {
                try {
                    queueLock.wait();
                } catch (InterruptedException afterwards) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes all buffered frames. Waits for the peer. */
    public void flush() throws IOException {
        synchronized (writeLock) {
            // Frames that other threads add meanwhile do not prolong the flush.
            for (int left = writableBuffers(); left > 0; left--) {
                writeFirstBuffer();
            }
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
        return receive(FrameCodec.MAX_FRAME_BYTES);
    }

    /**
     * Waits for the next frame, which may have {@code maxBytes}, at least 4; see {@link #receive()}. A longer frame is
     * refused before it is read.
     */
    public Frame receive(int maxBytes) throws IOException {
        return reader.read(maxBytes);
    }

    @Override
    public void close() {
        synchronized (queueLock) {
            closed = true;
            queueLock.notifyAll();
        }
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // The channel is already closed.
        }
    }

    /** Buffers a frame and returns the number of unwritten bytes. */
    private long append(Frame frame) throws IOException {
        synchronized (queueLock) {
            requireWritable();
            queue.add(frame);
            return queue.unwrittenBytes();
        }
    }

    private int writableBuffers() throws IOException {
        synchronized (queueLock) {
            requireWritable();
            return queue.bufferCount();
        }
    }

    /** After a failed write, a part of a frame may be missing. */
    private void requireWritable() throws IOException {
        if (writeFailed) {
            throw new IOException("an earlier write to the channel failed");
        }
    }

    private void writeFirstBuffer() throws IOException {
        FrameWriteBuffer first;
        synchronized (queueLock) {
            first = queue.removeFirst();
        }
        boolean written = false;
        try {
            write(first.bytes());
            written = true;
        } finally {
            synchronized (queueLock) {
                if (written) {
                    queue.bufferWritten(first);
                } else {
                    writeFailed = true;
                    queue.clear();
                }
                queueLock.notifyAll();
            }
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        // An interrupt during channel I/O would close the channel for all threads.
        boolean interrupted = Thread.interrupted();
        writeStarted = System.nanoTime();
        try {
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
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
