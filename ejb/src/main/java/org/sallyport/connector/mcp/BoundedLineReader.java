package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads UTF-8 lines up to a maximum length. Holds at most one line in memory. */
final class BoundedLineReader implements Closeable {
    private static final int CHUNK_BYTES = 16_384;

    private final InputStream in;
    private final int maxLineBytes;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private int from;
    private int to;

    /** A line exceeds the maximum length. */
    static final class LineTooLongException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    BoundedLineReader(InputStream in, int longest) {
        this.in = in;
        this.maxLineBytes = longest;
    }

    /** Returns the next line without its terminator; null at the end of the stream. */
    @Nullable String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        while (true) {
            if (from == to) {
                from = 0;
                to = in.read(chunk);
                if (to < 0) {
                    to = 0;
                    return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
                }
            }
            int end = from;
            while (end < to && chunk[end] != '\n') {
                end++;
            }
            line.write(chunk, from, end - from);
            if (line.size() > maxLineBytes) {
                throw new LineTooLongException();
            }
            from = end;
            if (end < to) {
                from++;
                return line.toString(StandardCharsets.UTF_8);
            }
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
