package org.sallyport.web.async;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Buffers a response until it is complete, so that the code that writes it never waits for the client. A stream is not
 * buffered, because it has a write listener of its own. Used by one thread at a time.
 */
final class BufferedResponse extends HttpServletResponseWrapper {
    private final HttpServletResponse response;
    private @Nullable BufferingOutputStream body;
    private @Nullable PrintWriter writer;

    BufferedResponse(HttpServletResponse response) {
        super(response);
        this.response = response;
    }

    /** Whether a write listener sends this response as a stream. */
    boolean isStream() {
        BufferingOutputStream held = body;
        return held != null && held.passThrough;
    }

    /** Returns the buffered bytes and empties the buffer. */
    byte[] drain() {
        if (writer != null) {
            writer.flush();
        }
        BufferingOutputStream held = body;
        if (held == null) {
            return new byte[0];
        }
        byte[] bytes = held.bytes.toByteArray();
        held.bytes = new ByteArrayOutputStream(0);
        return bytes;
    }

    /** The response to which the buffered bytes are sent. */
    HttpServletResponse response() {
        return response;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        BufferingOutputStream held = body;
        if (held == null) {
            held = new BufferingOutputStream(response.getOutputStream());
            body = held;
        }
        return held;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter known = writer;
        if (known == null) {
            known = new PrintWriter(new OutputStreamWriter(getOutputStream(), StandardCharsets.UTF_8));
            writer = known;
        }
        return known;
    }

    @Override
    public void flushBuffer() throws IOException {
        if (isStream()) {
            super.flushBuffer();
        }
    }

    @Override
    public void reset() {
        super.reset();
        clear();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        clear();
    }

    private void clear() {
        BufferingOutputStream held = body;
        if (held != null) {
            held.bytes.reset();
        }
    }

    private static final class BufferingOutputStream extends ServletOutputStream {
        private final ServletOutputStream out;
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private volatile boolean passThrough;

        BufferingOutputStream(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public boolean isReady() {
            return !passThrough || out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            passThrough = true;
            out.setWriteListener(listener);
        }

        @Override
        public void write(int b) throws IOException {
            if (passThrough) {
                out.write(b);
            } else {
                bytes.write(b);
            }
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            if (passThrough) {
                out.write(from, offset, length);
            } else {
                bytes.write(from, offset, length);
            }
        }

        @Override
        public void flush() throws IOException {
            if (passThrough) {
                out.flush();
            }
        }

        @Override
        public void close() throws IOException {
            if (passThrough) {
                out.close();
            }
        }
    }
}
