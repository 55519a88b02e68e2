package org.sallyport.sandbox.protocol;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A socket that also writes without waiting. Threads that wait use a selector for each direction. */
final class NonBlockingSocket implements FrameSocket {
    private static final int WRITE_BUFFER_BYTES = 64 * 1024;

    private final SocketChannel channel;
    private final Selector readable;
    private final Selector writable;
    /**
     * Of its own, because the JDK keeps one for each thread that has written from the heap. Null before the first
     * write: strangers, to which nothing is written, must not use memory.
     */
    private @Nullable ByteBuffer writeBuffer;

    private NonBlockingSocket(SocketChannel channel, Selector readable, Selector writable) {
        this.channel = channel;
        this.readable = readable;
        this.writable = writable;
    }

    /** Takes over a connected channel. Closes it when that fails. */
    static NonBlockingSocket of(SocketChannel channel) throws IOException {
        @Nullable Selector readable = null;
        @Nullable Selector writable = null;
        @Nullable NonBlockingSocket socket = null;
        try {
            channel.configureBlocking(false);
            readable = Selector.open();
            writable = Selector.open();
            channel.register(readable, SelectionKey.OP_READ);
            channel.register(writable, SelectionKey.OP_WRITE);
            socket = new NonBlockingSocket(channel, readable, writable);
            return socket;
        } finally {
            if (socket == null) {
                close(channel, readable, writable);
            }
        }
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        int count = channel.read(bytes);
        while (count == 0) {
            await(readable);
            count = channel.read(bytes);
        }
        return count;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int count = tryWrite(bytes);
        while (count == 0) {
            await(writable);
            count = tryWrite(bytes);
        }
        return count;
    }

    @Override
    public int tryWrite(ByteBuffer bytes) throws IOException {
        ByteBuffer buffer = writeBuffer;
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(WRITE_BUFFER_BYTES);
            writeBuffer = buffer;
        }
        int length = Math.min(bytes.remaining(), WRITE_BUFFER_BYTES);
        buffer.clear().put(0, bytes, bytes.position(), length).limit(length);
        int count = channel.write(buffer);
        bytes.position(bytes.position() + Math.max(count, 0));
        return count;
    }

    private static void await(Selector selector) throws IOException {
        // An interrupted thread would not wait.
        boolean interrupted = Thread.interrupted();
        try {
            selector.select(key -> {});
        } catch (ClosedSelectorException closed) {
            throw new ClosedChannelException();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Ends waiting reads and writes with {@link ClosedChannelException}. */
    @Override
    public void close() throws IOException {
        close(channel, readable, writable);
    }

    private static void close(SocketChannel channel, @Nullable Selector readable, @Nullable Selector writable)
            throws IOException {
        // The operating system's socket stays open while a selector has it.
        try (readable;
                writable) {
            channel.close();
        }
    }
}
