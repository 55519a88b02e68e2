package org.sallyport.web.api;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * A body that may be too large for memory, in a file of its own for as long as it is read. Nothing waits for a slow client but
 * the request itself.
 */
final class Spool implements AutoCloseable {
    private static final int BUFFER = 64 << 10;

    private final Path file;
    private final FileChannel channel;
    private final String sha256;

    private Spool(Path file, FileChannel channel, String sha256) {
        this.file = file;
        this.channel = channel;
        this.sha256 = sha256;
    }

    /** Takes the whole of {@code in}; {@link ProblemException} when it is larger than {@code limit} or ends too soon. */
    static Spool of(InputStream in, long limit, Path directory) {
        Path file;
        try {
            Files.createDirectories(directory);
            file = Files.createTempFile(directory, "batch", ".body");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            String sha256 = copy(in, limit, file);
            return new Spool(file, FileChannel.open(file, StandardOpenOption.READ), sha256);
        } catch (IOException e) {
            delete(file);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            delete(file);
            throw e;
        }
    }

    private static String copy(InputStream in, long limit, Path file) throws IOException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[BUFFER];
        long size = 0;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            for (int read = read(in, buffer); read >= 0; read = read(in, buffer)) {
                size += read;
                if (size > limit) {
                    throw new ProblemException(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "the body is larger than " + limit + " bytes (the server's " + BatchSettings.BODY.name()
                                    + ")");
                }
                digest.update(buffer, 0, read);
                out.write(buffer, 0, read);
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

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Of its bytes, in hexadecimal digits. */
    String sha256() {
        return sha256;
    }

    /** From its first byte. */
    InputStream read() throws IOException {
        return Files.newInputStream(file);
    }

    /** The bytes from {@code start} to before {@code end}. */
    byte[] slice(long start, long end) {
        ByteBuffer bytes = ByteBuffer.allocate((int) (end - start));
        try {
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, start + bytes.position()) < 0) {
                    throw new IllegalStateException("the file of a body has become shorter");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.array();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            delete(file);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
