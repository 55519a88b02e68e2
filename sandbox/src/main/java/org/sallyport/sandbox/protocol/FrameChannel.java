package org.sallyport.sandbox.protocol;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives frames over a connected channel. One thread may read; any thread may write. It reads and writes
 * the channel itself, because the JDK's input and output streams of one channel block each other.
 */
public final class FrameChannel implements Closeable {
    private static final int FLUSH_THRESHOLD_BYTES = 64 * 1024;
    /** Bytes that may wait for a peer that has stopped reading. */
    private static final int MAX_STALLED_BYTES = 16 << 20;
    /** Bytes that may wait for a peer that still reads: a burst of answers may arrive faster than it parses them. */
    private static final int MAX_UNWRITTEN_BYTES = 32 << 20;

    private static final long STALLED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final FrameSocket socket;
    private final FrameReader reader;
    private final Executor writeExecutor;
    /** Held during a write, which may wait for the peer. Is taken before {@link #queueLock}. */
    private final ReentrantLock writeLock = new ReentrantLock();
    // Guarded by writeLock.
    private @Nullable ChunkedWrite pendingWrite;

    /** Never held while a thread waits for the peer. */
    private final ReentrantLock queueLock = new ReentrantLock();
    /** Signals to the thread that runs {@link #writeOffered} that it has to write, or that the channel is closed. */
    private final Condition writerNeeded = queueLock.newCondition();

    private final Condition bytesWritten = queueLock.newCondition();
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
        this(new BlockingSocket(channel), writer);
    }

    private FrameChannel(FrameSocket socket, Executor writer) {
        this.socket = socket;
        this.writeExecutor = writer;
        this.reader = new FrameReader(socket);
    }

    /**
     * Creates a channel whose {@link #offer} writes at once what the peer has room for, so that a short frame needs no
     * other thread. Closes the socket when that fails.
     */
    public static FrameChannel nonBlocking(SocketChannel channel) throws IOException {
        return new FrameChannel(NonBlockingSocket.of(channel), Runnable::run);
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
            awaitUninterruptibly(bytesWritten, () -> queue.unwrittenBytes() < FLUSH_THRESHOLD_BYTES);
        }
    }

    /**
     * Writes a frame if the peer has room for it, and leaves the rest to the thread that runs {@link #writeOffered}.
     * Never waits for the peer. Frames keep the order in which they are offered. Drops the frame when the channel is
     * closed or a write has failed.
     *
     * @throws PeerNotReadingException when the peer has left 32 MiB unread, or 16 MiB without reading for half a second
     * @throws FrameTooLargeException when the frame is too long; it is dropped
     */
    public void offer(Frame frame) throws IOException {
        queueLock.lock();
        try {
            if (closed || writeFailed) {
                return;
            }
            long blockedSince = writeStarted;
            long blockedNanos = blockedSince == 0 ? 0 : System.nanoTime() - blockedSince;
            if (!hasCapacity(queue.unwrittenBytes(), blockedNanos)) {
                throw new PeerNotReadingException(queue.unwrittenBytes());
            }
            queue.add(frame);
        } finally {
            queueLock.unlock();
        }
        try {
            writeOrWakeWriter();
        } catch (IOException failure) {
            if (!closed) {
                throw failure;
            }
        }
    }

    private void writeOrWakeWriter() throws IOException {
        if (writeLock.tryLock()) {
            try {
                if (writeBuffers(false)) {
                    return;
                }
            } finally {
                writeLock.unlock();
            }
        }
        // Another thread writes, and perhaps has already seen that nothing is left, or the peer has no room.
        queueLock.lock();
        try {
            writerNeeded.signal();
        } finally {
            queueLock.unlock();
        }
    }

    /** Returns whether a further frame may wait, whatever its length. */
    static boolean hasCapacity(long unwrittenBytes, long blockedNanos) {
        return unwrittenBytes < (blockedNanos < STALLED_NANOS ? MAX_UNWRITTEN_BYTES : MAX_STALLED_BYTES);
    }

    /**
     * Writes offered frames until the channel is closed. Needs a thread of its own.
     *
     * @throws IOException when a write of any thread fails while the channel is open; later frames are dropped
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
        awaitUninterruptibly(writerNeeded, () -> closed || writeFailed || queue.unwrittenBytes() > 0);
        return !closed;
    }

    private void flushQuietly() {
        try {
            flush();
        } catch (IOException broken) {
            // The next write meets the same failure.
        }
    }

    /** Waits until the queue has a state of which {@code signal} tells. */
    private void awaitUninterruptibly(Condition signal, BooleanSupplier reached) {
        queueLock.lock();
        try {
            while (!reached.getAsBoolean()) {
                signal.awaitUninterruptibly();
            }
        } finally {
            queueLock.unlock();
        }
    }

    /** Writes all buffered frames. Waits for the peer. */
    public void flush() throws IOException {
        writeLock.lock();
        try {
            writeBuffers(true);
        } finally {
            writeLock.unlock();
        }
    }

    /** Returns the {@link System#nanoTime} since which a write waits for the peer to read; 0 when no write waits. */
    public long writeBlockedSince() {
        return closed ? 0 : writeStarted;
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
        queueLock.lock();
        try {
            closed = true;
            writerNeeded.signalAll();
        } finally {
            queueLock.unlock();
        }
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            // The channel is already closed.
        }
    }

    /** Buffers a frame and returns the number of unwritten bytes. */
    private long append(Frame frame) throws IOException {
        queueLock.lock();
        try {
            requireWritable();
            queue.add(frame);
            return queue.unwrittenBytes();
        } finally {
            queueLock.unlock();
        }
    }

    /**
     * Writes the buffers that wait now: frames that other threads add meanwhile do not prolong it. Needs {@link
     * #writeLock}.
     *
     * @param waits whether to wait for the peer
     * @return whether nothing is left
     */
    private boolean writeBuffers(boolean waits) throws IOException {
        try {
            for (int left = writableBuffers(); left > 0; left--) {
                if (!writeFirstBuffer(waits)) {
                    return false;
                }
            }
            return writableBuffers() == 0;
        } catch (IOException | RuntimeException | Error failure) {
            // A part of a frame may be missing.
            fail();
            throw failure;
        }
    }

    private int writableBuffers() throws IOException {
        queueLock.lock();
        try {
            requireWritable();
            return queue.bufferCount() + (pendingWrite == null ? 0 : 1);
        } finally {
            queueLock.unlock();
        }
    }

    /** After a failed write, a part of a frame may be missing. */
    private void requireWritable() throws IOException {
        if (writeFailed) {
            throw new IOException("an earlier write to the channel failed");
        }
    }

    /** Writes the rest of the first buffer. Returns whether it is written completely. */
    private boolean writeFirstBuffer(boolean waits) throws IOException {
        ChunkedWrite first = pendingWrite;
        if (first == null) {
            first = takeFirst();
            pendingWrite = first;
        }
        while (first.hasRemaining()) {
            if (!writeChunk(first, waits)) {
                return false;
            }
        }
        complete(first);
        return true;
    }

    /** Writes the rest of a chunk. Returns whether it is written completely. */
    private boolean writeChunk(ChunkedWrite write, boolean waits) throws IOException {
        ByteBuffer chunk = write.chunk();
        if (writeStarted == 0) {
            writeStarted = System.nanoTime();
        }
        while (chunk.hasRemaining()) {
            int count = waits ? socket.write(chunk) : socket.tryWrite(chunk);
            if (count < 0) {
                throw new EOFException();
            }
            if (count == 0) {
                return false;
            }
        }
        writeStarted = 0;
        return true;
    }

    private ChunkedWrite takeFirst() {
        queueLock.lock();
        try {
            return new ChunkedWrite(queue.removeFirst());
        } finally {
            queueLock.unlock();
        }
    }

    private void complete(ChunkedWrite write) {
        pendingWrite = null;
        queueLock.lock();
        try {
            queue.bufferWritten(write.buffer());
            bytesWritten.signalAll();
        } finally {
            queueLock.unlock();
        }
    }

    private void fail() {
        writeStarted = 0;
        pendingWrite = null;
        queueLock.lock();
        try {
            writeFailed = true;
            queue.clear();
            bytesWritten.signalAll();
            writerNeeded.signal();
        } finally {
            queueLock.unlock();
        }
    }
}
