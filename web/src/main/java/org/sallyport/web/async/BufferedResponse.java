package org.sallyport.web.async;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Settings;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;

/**
 * Buffers a response until it is complete, so that the code that writes it never waits for the client. A response that
 * finds no memory is replaced by a problem when it is complete. A stream is not buffered, because it has a write
 * listener of its own. Used by one thread at a time.
 */
final class BufferedResponse extends HttpServletResponseWrapper {
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final ResponseBuffer buffer;
    private @Nullable BufferingOutputStream body;
    private @Nullable PrintWriter writer;

    BufferedResponse(HttpServletRequest request, HttpServletResponse response, ResponseBuffer buffer) {
        super(response);
        this.request = request;
        this.response = response;
        this.buffer = buffer;
    }

    /** Whether a write listener sends this response as a stream. */
    boolean isStream() {
        BufferingOutputStream held = body;
        return held != null && held.passThrough;
    }

    /** Returns the bytes of the response, which is complete. */
    ResponseBuffer complete() throws IOException {
        if (writer != null) {
            writer.flush();
        }
        if (buffer.isRefused()) {
            replaceByProblem(buffer.isTooLarge());
        }
        return buffer;
    }

    private void replaceByProblem(boolean tooLarge) throws IOException {
        resetBuffer();
        if (!tooLarge) {
            setHeader("Retry-After", "2");
        }
        ProblemType type = tooLarge ? ProblemType.PAYLOAD_TOO_LARGE : ProblemType.UNAVAILABLE;
        String detail = tooLarge
                ? "the response needs more memory than one response may have (the server's "
                        + Settings.MEMORY_PERCENT.name() + "); ask for less at once"
                : "the request was handled, but other responses need the memory for its response (the server's "
                        + Settings.MEMORY_PERCENT.name() + "); try again shortly";
        boolean reads = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        Problem problem = Problem.of(type, detail, members -> {
            if (!reads) {
                members.put("outcome", "unknown"); // The request may have taken effect.
            }
        });
        ProblemWriter.write(this, problem, null);
    }

    /** Frees the memory of the buffered bytes, which are not sent. */
    void release() {
        buffer.close();
    }

    /** The response to which the buffered bytes are sent. */
    HttpServletResponse response() {
        return response;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        BufferingOutputStream held = body;
        if (held == null) {
            held = new BufferingOutputStream(response.getOutputStream(), buffer);
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
        buffer.clear();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        buffer.clear();
    }

    private static final class BufferingOutputStream extends ServletOutputStream {
        private final ServletOutputStream out;
        private final ResponseBuffer buffer;
        private volatile boolean passThrough;

        BufferingOutputStream(ServletOutputStream out, ResponseBuffer buffer) {
            this.out = out;
            this.buffer = buffer;
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
                buffer.write(new byte[] {(byte) b}, 0, 1);
            }
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            if (passThrough) {
                out.write(from, offset, length);
            } else {
                buffer.write(from, offset, length);
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
