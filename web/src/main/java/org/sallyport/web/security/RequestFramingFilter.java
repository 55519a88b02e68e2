package org.sallyport.web.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;

/**
 * Refuses requests whose host or whose end another reader could see differently, such as a proxy (request smuggling).
 * The container accepts them: several {@code Host} headers, several {@code Transfer-Encoding} headers, and transfer
 * codings beside {@code chunked} (RFC 9112, 3.2 and 6.1). {@code web.xml} places this filter before those that
 * authenticate.
 */
public class RequestFramingFilter extends HttpFilter {
    private static final long serialVersionUID = 1;
    private static final String HTTP_1_1 = "HTTP/1.1";

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Optional<String> problem = findProblem(request);
        if (problem.isEmpty()) {
            chain.doFilter(request, response);
            return;
        }
        response.setHeader("Connection", "close");
        response.setHeader("Cache-Control", "no-store");
        ProblemWriter.write(response, Problem.of(ProblemType.VALIDATION, problem.get()), null);
    }

    private static Optional<String> findProblem(HttpServletRequest request) {
        String protocol = request.getProtocol();
        if (protocol.startsWith("HTTP/2")) {
            // Its frames say where a body ends. The listener of the service does not offer it.
            return Optional.empty();
        } else if (!protocol.equals(HTTP_1_1) && !protocol.equals("HTTP/1.0")) {
            return Optional.of("send requests of HTTP/1.1");
        }
        int hosts = values(request, "Host").size();
        if (hosts > 1 || hosts == 0 && protocol.equals(HTTP_1_1)) {
            return Optional.of("send exactly one Host header");
        }
        List<String> codings = values(request, "Transfer-Encoding");
        int lengths = values(request, "Content-Length").size();
        if (codings.isEmpty()) {
            return lengths > 1 ? Optional.of("send Content-Length once") : Optional.empty();
        }
        boolean chunked = codings.size() == 1 && codings.get(0).strip().equalsIgnoreCase("chunked");
        return chunked && lengths == 0 && protocol.equals(HTTP_1_1)
                ? Optional.empty()
                : Optional.of("send either Content-Length, or with HTTP/1.1 'Transfer-Encoding: chunked', once");
    }

    private static List<String> values(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }
}
