package org.sallyport.web.stream;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.sallyport.web.ProblemException;

/**
 * A body of which nobody knows when it will be there: to wait for it takes a place among those who do, and must come to an end.
 * What is not to be is a {@link ProblemException}, and the end of the connection.
 */
final class PatientInput extends ServletInputStream {
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final ServletInputStream in;
    private final Bodies bodies;
    private final Bodies.Clock clock;

    PatientInput(HttpServletRequest request, HttpServletResponse response, ServletInputStream in, Bodies bodies) {
        this.request = request;
        this.response = response;
        this.in = in;
        this.bodies = bodies;
        this.clock = bodies.clock(request);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        try {
            clock.check();
            int read = in.available() > 0 || in.isFinished() ? in.read(to, offset, length) : await(to, offset, length);
            clock.came(read);
            return read;
        } catch (ProblemException e) {
            // What is left of it is not to be waited for either.
            response.setHeader("Connection", "close");
            throw e;
        }
    }

    private int await(byte[] to, int offset, int length) throws IOException {
        Bodies.Place place = bodies.take(request);
        try {
            return in.read(to, offset, length);
        } catch (IOException e) {
            clock.checkPause();
            throw e;
        } finally {
            place.giveBack();
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
