package org.sallyport.web.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.IntConsumer;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.Sha256Hash;

/**
 * A request body in a temporary file, for bodies that may be too large for memory. The file is deleted as soon as it is
 * open, so its bytes disappear however this node ends. A slow client blocks only its own request.
 */
final class SpooledBody implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    private final FileChannel channel;
    private final MemoryBudget.MemoryReservation reservation;
    private final String sha256;

    private SpooledBody(FileChannel channel, MemoryBudget.MemoryReservation reservation, String sha256) {
        this.channel = channel;
        this.reservation = reservation;
        this.sha256 = sha256;
    }

    /**
     * Reads {@code in} to its end.
     *
     * @throws ProblemException if the body is larger than {@code limit} or ends early, or all bodies together exceed
     *     the limit of the directory
     */
    static SpooledBody of(InputStream in, long limit, SpoolDirectory directory, String tenant) {
        return of(in, limit, BatchSettings.MAX_BODY_BYTES.name(), directory, tenant);
    }

    /**
     * Does the same with the limit of another setting.
     *
     * @param setting name of the setting
     */
    static SpooledBody of(InputStream in, long limit, String setting, SpoolDirectory directory, String tenant) {
        FileChannel channel = open(directory);
        MemoryBudget.MemoryReservation reservation = directory.reserve(tenant);
        try {
            String sha256 = copy(in, limit, setting, channel, bytes -> directory.grow(reservation, bytes));
            return new SpooledBody(channel, reservation, sha256);
        } catch (IOException e) {
            close(channel, reservation);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            close(channel, reservation);
            throw e;
        }
    }

    /**
     * An empty body, which {@link #write} fills. Takes no part in the budget of the directory: its content is stored
     * already, and limits of its own bound it.
     */
    static SpooledBody empty(SpoolDirectory directory) {
        return new SpooledBody(open(directory), directory.reserve(""), "");
    }

    /** A stream that appends to an {@link #empty} body. */
    OutputStream write() {
        return Channels.newOutputStream(channel);
    }

    private static FileChannel open(SpoolDirectory directory) {
        try {
            return directory.openUnlinkedFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String copy(InputStream in, long limit, String setting, FileChannel channel, IntConsumer growth)
            throws IOException {
        MessageDigest digest = Sha256Hash.newDigest();
        byte[] buffer = new byte[BUFFER_BYTES];
        long size = 0;
        for (int read = read(in, buffer); read >= 0; read = read(in, buffer)) {
            size += read;
            if (size > limit) {
                throw new ProblemException(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "the body is larger than " + limit + " bytes (the server's " + setting + ")");
            }
            growth.accept(read);
            digest.update(buffer, 0, read);
            ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, read);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static int read(InputStream in, byte[] buffer) {
        try {
            return in.read(buffer);
        } catch (IOException e) {
            throw new ProblemException(ProblemType.VALIDATION, "the body ended before it was complete");
        }
    }

    /** Number of bytes. */
    long size() {
        try {
            return channel.size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SHA-256 of the bytes, hexadecimal; empty if the body was written by {@link #write}. */
    String sha256() {
        return sha256;
    }

    /** A new stream from the first byte, independent of other readers. */
    InputStream read() {
        return new SpooledBodyInputStream();
    }

    /** Has its own position in the file and does not close it. */
    private final class SpooledBodyInputStream extends InputStream {
        private long at;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int read = channel.read(ByteBuffer.wrap(bytes, offset, length), at);
            at += Math.max(0, read);
            return read;
        }
    }

    /** The bytes from {@code start} (inclusive) to {@code end} (exclusive). */
    byte[] slice(long start, long end) {
        ByteBuffer bytes = ByteBuffer.allocate((int) (end - start));
        try {
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, start + bytes.position()) < 0) {
                    throw new IllegalStateException("the temporary file of a request body was truncated");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.array();
    }

    @Override
    public void close() {
        close(channel, reservation);
    }

    private static void close(FileChannel channel, MemoryBudget.MemoryReservation reservation) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            reservation.close();
        }
    }
}
