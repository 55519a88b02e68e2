package org.sallyport.cli.local;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The log file, to which the service prints. */
public final class ServerLog {
    private static final long MAX_BYTES_BEFORE_ROTATION = 10_000_000;
    private static final int MAX_TAIL_BYTES = 256 * 1024;

    private final Path file;

    public ServerLog(Path file) {
        this.file = file;
    }

    /** Renames a log over 10 MB to {@code .1} before a start, and replaces the log that was renamed before. */
    void rotateIfLarge() throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        if (length() > MAX_BYTES_BEFORE_ROTATION) {
            Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Returns the current length in bytes; 0 if there is no file. */
    public long length() throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    /**
     * Returns at most {@code lines} of the last lines at or after the offset. Reads only the last 256 KiB of the file.
     */
    public List<String> tail(int lines, long from) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long start = Math.max(from, log.length() - MAX_TAIL_BYTES);
            List<String> all = read(log, start).lines().toList();
            return List.copyOf(all.subList(Math.max(0, all.size() - lines), all.size()));
        }
    }

    /**
     * Passes the text that is appended after an offset to the consumer, until {@code more} returns false.
     *
     * @param more called after each read; pauses, and returns whether to continue
     */
    public void follow(long from, Consumer<String> text, BooleanSupplier more) throws IOException {
        long offset = from;
        do {
            long length = length();
            if (length < offset) {
                offset = 0;
            }
            if (length > offset) {
                try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
                    byte[] bytes = readBytes(log, offset);
                    int whole = completeUtf8Length(bytes);
                    text.accept(new String(bytes, 0, whole, StandardCharsets.UTF_8));
                    offset += whole;
                }
            }
        } while (more.getAsBoolean());
    }

    private static String read(RandomAccessFile log, long from) throws IOException {
        return new String(readBytes(log, from), StandardCharsets.UTF_8);
    }

    private static byte[] readBytes(RandomAccessFile log, long from) throws IOException {
        log.seek(from);
        byte[] bytes = new byte[(int) Math.min(log.length() - from, 4 * MAX_TAIL_BYTES)];
        log.readFully(bytes);
        return bytes;
    }

    /** Returns the length without an incomplete character at the end, which the next read completes. */
    private static int completeUtf8Length(byte[] bytes) {
        int start = bytes.length;
        while (start > 0 && bytes.length - start < 3 && (bytes[start - 1] & 0xc0) == 0x80) {
            start--;
        }
        if (start == 0 || (bytes[start - 1] & 0xc0) != 0xc0) {
            return bytes.length;
        }
        int lead = bytes[start - 1] & 0xff;
        int needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        return bytes.length - start + 1 < needed ? start - 1 : bytes.length;
    }
}
