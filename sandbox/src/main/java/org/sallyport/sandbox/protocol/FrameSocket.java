package org.sallyport.sandbox.protocol;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** The bytes of a {@link FrameChannel}. One thread may read and one thread may write at a time. */
interface FrameSocket extends ReadableByteChannel, Closeable {
    /** Reads bytes and waits for at least one. Returns their number, or -1 at the end of the stream. */
    @Override
    int read(ByteBuffer bytes) throws IOException;

    /** Writes bytes and waits until the peer has taken at least one. Returns their number. */
    int write(ByteBuffer bytes) throws IOException;

    /** Writes the bytes that need no wait for the peer. Returns their number, which may be 0. */
    int tryWrite(ByteBuffer bytes) throws IOException;
}
