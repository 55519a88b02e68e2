package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads UTF-8 lines up to a maximum length. Holds at most one line in memory. A longer line is skipped, and the lines
 * behind it can be read.
 */
final class BoundedLineReader implements Closeable {
    /** Maximum length of a line that is skipped. */
    static final long MAX_SKIPPED_BYTES = 256L * 1024 * 1024;

    private static final int CHUNK_BYTES = 16_384;

    private final InputStream in;
    private final int maxLineBytes;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private int from;
    private int to;

    /** A line exceeds the maximum length. It was skipped; the next line can be read. */
    static final class LineTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        private final @Nullable String responseId;

        LineTooLongException(@Nullable String responseId) {
            this.responseId = responseId;
        }

        /** Returns the id if the line is a JSON-RPC response. */
        Optional<String> responseId() {
            return Optional.ofNullable(responseId);
        }
    }

    /** A line has not ended after {@link #MAX_SKIPPED_BYTES}. */
    static final class EndlessLineException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    BoundedLineReader(InputStream in, int longest) {
        this.in = in;
        this.maxLineBytes = longest;
    }

    /**
     * Returns the next line without its terminator; null at the end of the stream.
     *
     * @throws LineTooLongException if the line was too long and was skipped
     * @throws EndlessLineException if the line is too long to be skipped; no other line can be read
     */
    @Nullable String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        while (fill()) {
            int end = lineEnd();
            line.write(chunk, from, end - from);
            boolean complete = moveBehind(end);
            if (line.size() > maxLineBytes) {
                throw skipLine(line, complete);
            }
            if (complete) {
                return line.toString(StandardCharsets.UTF_8);
            }
        }
        return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
    }

    private IOException skipLine(ByteArrayOutputStream beginning, boolean complete) throws IOException {
        ResponseIdScanner scanner = new ResponseIdScanner();
        beginning.writeTo(scanner);
        long skipped = beginning.size();
        boolean ended = complete;
        while (!ended && fill()) {
            int end = lineEnd();
            scanner.write(chunk, from, end - from);
            skipped += end - from;
            if (skipped > MAX_SKIPPED_BYTES) {
                return new EndlessLineException();
            }
            ended = moveBehind(end);
        }
        return new LineTooLongException(scanner.responseId().orElse(null));
    }

    /** Reads bytes if none are left; false at the end of the stream. */
    private boolean fill() throws IOException {
        if (from == to) {
            from = 0;
            to = Math.max(0, in.read(chunk));
        }
        return from < to;
    }

    /** Position of the next line terminator in the chunk; the end of the chunk if it has none. */
    private int lineEnd() {
        int end = from;
        while (end < to && chunk[end] != '\n') {
            end++;
        }
        return end;
    }

    /** Moves behind the line terminator at {@code end}; false if the chunk ends there. */
    private boolean moveBehind(int end) {
        boolean terminated = end < to;
        from = terminated ? end + 1 : end;
        return terminated;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
