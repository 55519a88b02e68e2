package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads lines of UTF-8 up to a length; never holds more than one of them. */
final class BoundedLineReader implements Closeable {
    private static final int CHUNK_BYTES = 16_384;

    private final InputStream in;
    private final int maxLineBytes;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private int from;
    private int to;

    /** A line is longer than it may be. */
    static final class LineTooLongException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    BoundedLineReader(InputStream in, int longest) {
        this.in = in;
        this.maxLineBytes = longest;
    }

    /** The next line without its end, null after the last. */
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
