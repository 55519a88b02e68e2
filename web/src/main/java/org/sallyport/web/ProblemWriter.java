package org.sallyport.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes problems as the answers of servlets and servlet filters. */
public final class ProblemWriter {
    private ProblemWriter() {}

    /**
     * Answers with a problem.
     *
     * @param instance the path of the request; {@code null} if the answer does not name it
     */
    public static void write(HttpServletResponse response, Problem problem, @Nullable String instance)
            throws IOException {
        byte[] body = problem.body(instance);
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
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
        write(response, AllowHeader.refuse(response, "GET", "HEAD"), request.getRequestURI());
        return true;
    }
}
