package org.sallyport.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/** The header {@code Allow}, which every answer with the status 405 has (RFC 9110, 15.5.6). */
public final class AllowHeader {
    /** The name of the header. */
    public static final String NAME = "Allow";

    private AllowHeader() {}

    /** The value for a path with these methods, in the order of their names. {@code GET} includes {@code HEAD}. */
    public static String value(Collection<String> methods) {
        Set<String> all = new TreeSet<>(methods);
        if (all.contains("GET")) {
            all.add("HEAD");
        }
        return String.join(", ", all);
    }

    /**
     * Refuses a request that does not read, for a path that supports only {@code GET} and {@code HEAD}.
     *
     * @return whether the request was answered
     */
    public static boolean refuseUnlessRead(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (request.getMethod().equals("GET") || request.getMethod().equals("HEAD")) {
            return false;
        }
        Problem problem = Problem.of(ProblemType.METHOD_NOT_ALLOWED, "this path supports only GET");
        byte[] body = problem.body(request.getRequestURI());
        response.setHeader(NAME, "GET, HEAD");
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        return true;
    }
}
