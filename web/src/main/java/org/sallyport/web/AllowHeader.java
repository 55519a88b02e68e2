package org.sallyport.web;

import jakarta.servlet.http.HttpServletResponse;
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
     * Sets the header of an answer that refuses the method of a request.
     *
     * @param methods the methods of the path
     * @return the problem, which names them
     */
    public static Problem refuse(HttpServletResponse response, String... methods) {
        String supported = String.join(", ", methods);
        response.setHeader(NAME, supported);
        return Problem.of(ProblemType.METHOD_NOT_ALLOWED, "this path supports only " + supported);
    }
}
