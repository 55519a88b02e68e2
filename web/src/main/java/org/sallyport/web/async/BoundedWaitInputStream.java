package org.sallyport.web.async;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.sallyport.web.ProblemException;

/**
 * A request body whose arrival time is unknown. A read that must wait takes a permit of {@link BodyReadLimiter} and is
 * limited in time. If a limit is reached, the read throws {@link ProblemException} and the server closes the
 * connection. Used by one thread at a time.
 */
final class BoundedWaitInputStream extends ServletInputStream {
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final ServletInputStream in;
    private final BodyReadLimiter limiter;
    private final BodyReadLimiter.BodyReadTimer timer;

    BoundedWaitInputStream(
            HttpServletRequest request, HttpServletResponse response, ServletInputStream in, BodyReadLimiter bodies) {
        this.request = request;
        this.response = response;
        this.in = in;
        this.limiter = bodies;
        this.timer = bodies.startTimer(request);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        try {
            timer.checkTimeout();
            int read = in.available() > 0 || in.isFinished()
                    ? in.read(to, offset, length)
                    : readWithPermit(to, offset, length);
            timer.recordRead(read);
            return read;
        } catch (ProblemException e) {
            // Closes the connection, so that the server does not wait for the rest of the body either.
            response.setHeader("Connection", "close");
            throw e;
        }
    }

    private int readWithPermit(byte[] to, int offset, int length) throws IOException {
        BodyReadLimiter.ReadPermit place = limiter.acquire(request);
        try {
            return in.read(to, offset, length);
        } catch (IOException e) {
            timer.checkIdle();
            throw e;
        } finally {
            place.release();
        }
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public boolean isFinished() {
        return in.isFinished();
    }

    @Override
    public boolean isReady() {
        return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        in.setReadListener(listener);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
