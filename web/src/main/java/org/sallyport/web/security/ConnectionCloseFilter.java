package org.sallyport.web.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.Set;
import org.sallyport.cache.RecentEntries;

/**
 * Rejects requests that follow, on the same connection, a response after which the server closes the connection (RFC
 * 9112, 9.6). The server itself still processes such a request but cannot send its response, so the client would never
 * learn the effect of a pipelined or smuggled submission. {@code web.xml} places this filter first.
 */
public class ConnectionCloseFilter extends HttpFilter {
    private static final long serialVersionUID = 1;
    /** The server closes the connection after a response with one of these statuses. */
    private static final Set<Integer> CLOSING_STATUS = Set.of(400, 408, 411, 413, 414, 417, 500, 501, 503, 505);

    private static final int MAX_TRACKED = 10_000;

    private final transient RecentEntries<String, Boolean> closing = new RecentEntries<>(MAX_TRACKED);

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String connection = request.getServletConnection().getConnectionId();
        if (closing.contains(connection)) {
            response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
            return;
        }
        if ("close".equalsIgnoreCase(request.getHeader("Connection"))) {
            closing.put(connection, true);
        } else if (request.getHeader("Upgrade") != null) {
            // The server closes the connection after this request too, but does not say so in long responses. A client
            // would send its next request on a connection that is closed.
            closing.put(connection, true);
            response.setHeader("Connection", "close");
        }
        try {
            chain.doFilter(request, new CloseTrackingResponse(response, connection));
        } catch (IOException | ServletException | RuntimeException | Error e) {
            // The server answers the exception with 500.
            closing.put(connection, true);
            throw e;
        }
    }

    /** Records that the connection will be closed before the response is sent. Works on any thread. */
    private final class CloseTrackingResponse extends HttpServletResponseWrapper {
        private final String connection;

        CloseTrackingResponse(HttpServletResponse response, String connection) {
            super(response);
            this.connection = connection;
        }

        private void markIfClosing(int status) {
            if (CLOSING_STATUS.contains(status)) {
                closing.put(connection, true);
            }
        }

        private void markIfClosing(String header, String value) {
            if (header.equalsIgnoreCase("Connection") && value.equalsIgnoreCase("close")) {
                closing.put(connection, true);
            }
        }

        @Override
        public void setStatus(int status) {
            markIfClosing(status);
            super.setStatus(status);
        }

        @Override
        public void sendError(int status) throws IOException {
            markIfClosing(status);
            super.sendError(status);
        }

        @Override
        public void sendError(int status, String message) throws IOException {
            markIfClosing(status);
            super.sendError(status, message);
        }

        @Override
        public void setHeader(String name, String value) {
            markIfClosing(name, value);
            super.setHeader(name, value);
        }

        @Override
        public void addHeader(String name, String value) {
            markIfClosing(name, value);
            super.addHeader(name, value);
        }
    }
}
