package org.sallyport.web.async;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * The body of a request with an {@code Upgrade} header. The server ignores the header, but its container takes the body
 * of such a request for data of the other protocol: it ignores {@code Content-Length} and {@code Transfer-Encoding},
 * and passes on whatever arrives on the connection, without an end (eclipse-ee4j/glassfish-grizzly#2117). This stream
 * decodes the body as RFC 9112, sections 6 and 7.1, define it. Clients that prefer HTTP/2 send such requests. It may
 * read beyond the end of the body, because the container closes the connection after the response. Used by one thread
 * at a time.
 */
final class UpgradeRequestInputStream extends ServletInputStream {
    /** Maximum size of the size line of a chunk with its extensions, and of one trailer line. */
    private static final int MAX_LINE_BYTES = 4_096;

    private static final int MAX_TRAILER_LINES = 100;
    /** Fifteen hexadecimal digits fit into a long. */
    private static final int MAX_SIZE_DIGITS = 15;

    private final InputStream in;
    private final boolean chunked;
    /** Bytes that are left of the body, or of the current chunk. */
    private long remaining;

    private boolean firstChunk = true;
    private boolean finished;

    private UpgradeRequestInputStream(InputStream in, boolean chunked, long length) {
        this.in = in;
        this.chunked = chunked;
        this.remaining = length;
        this.finished = !chunked && length == 0;
    }

    /**
     * The body of the request.
     *
     * @param in the bytes of the connection that follow the request head
     * @throws ProblemException if the headers do not say clearly where the body ends
     */
    static ServletInputStream of(HttpServletRequest request, InputStream in) {
        List<String> codings = Collections.list(request.getHeaders("Transfer-Encoding"));
        List<String> lengths = Collections.list(request.getHeaders("Content-Length"));
        if (codings.isEmpty()) {
            return new UpgradeRequestInputStream(in, false, lengths.isEmpty() ? 0 : parseLength(lengths));
        } else if (lengths.isEmpty() && codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked")) {
            return new UpgradeRequestInputStream(new BufferedInputStream(in), true, 0);
        }
        throw malformed("send either Content-Length or 'Transfer-Encoding: chunked'");
    }

    private static long parseLength(List<String> lengths) {
        String length = lengths.get(0);
        if (lengths.size() != 1 || !length.matches("[0-9]{1,18}")) {
            throw malformed("Content-Length must be one decimal number");
        }
        return Long.parseLong(length);
    }

    private static ProblemException malformed(String detail) {
        return new ProblemException(ProblemType.VALIDATION, "the body is malformed: " + detail);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (chunked && remaining == 0 && !finished) {
            startChunk();
        }
        if (finished) {
            return -1;
        }
        int read = in.read(to, offset, (int) Math.min(length, remaining));
        if (read < 0) {
            throw endedEarly();
        }
        remaining -= read;
        finished = !chunked && remaining == 0;
        return read;
    }

    private static EOFException endedEarly() {
        return new EOFException("the connection ended within the body");
    }

    private void startChunk() throws IOException {
        if (!firstChunk && !readLine().isEmpty()) {
            throw malformed("a chunk is longer than its size");
        }
        firstChunk = false;
        remaining = parseSize(readLine());
        if (remaining == 0) {
            skipTrailers();
            finished = true;
        }
    }

    /** The size of a chunk from its size line; extensions are ignored. */
    private static long parseSize(String line) {
        int end = line.indexOf(';');
        String digits = (end < 0 ? line : line.substring(0, end)).stripTrailing();
        if (!digits.matches("[0-9A-Fa-f]{1," + MAX_SIZE_DIGITS + "}")) {
            throw malformed("the size of a chunk must be a hexadecimal number");
        }
        return Long.parseLong(digits, 16);
    }

    private void skipTrailers() throws IOException {
        for (int lines = 0; !readLine().isEmpty(); lines++) {
            if (lines == MAX_TRAILER_LINES) {
                throw malformed("it has more than " + MAX_TRAILER_LINES + " trailer lines");
            }
        }
    }

    /** The next line, in ISO 8859-1, without its line break. */
    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        char next = readChar();
        while (next != '\r') {
            if (next == '\n' || line.length() == MAX_LINE_BYTES) {
                throw malformed("a line of the chunked coding has no CRLF, or more than " + MAX_LINE_BYTES + " bytes");
            }
            line.append(next);
            next = readChar();
        }
        if (readChar() != '\n') {
            throw malformed("a line of the chunked coding ends with CR alone");
        }
        return line.toString();
    }

    private char readChar() throws IOException {
        int read = in.read();
        if (read < 0) {
            throw endedEarly();
        }
        return (char) read;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(in.available(), remaining);
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
        throw new IllegalStateException("this body has no non-blocking reads");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
