package org.sallyport.sandbox.protocol;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A socket whose reads and writes wait in the operating system. It cannot tell whether a write would wait. */
record BlockingSocket(SocketChannel channel) implements FrameSocket {
    @Override
    public int read(ByteBuffer bytes) throws IOException {
        return channel.read(bytes);
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        // An interrupt during channel I/O would close the channel for all threads.
        boolean interrupted = Thread.interrupted();
        try {
            return channel.write(bytes);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public int tryWrite(ByteBuffer bytes) {
        return 0;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
