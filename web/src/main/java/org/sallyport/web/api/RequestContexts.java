package org.sallyport.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.sallyport.auth.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/** Reads the caller and the ids that resources and endpoints need from a request. */
public final class RequestContexts {
    private static final int MAX_ECHO_LENGTH = 60;

    private RequestContexts() {}

    /** The caller of the request; the authentication filter rejects requests without one. */
    public static Caller caller(HttpServletRequest request) {
        if (request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller known) {
            return known;
        }
        throw new IllegalStateException("a request passed without authentication");
    }

    /**
     * Parses an approval id of a path.
     *
     * @throws ProblemException (not found) if the text is not an id
     */
    static UUID approvalId(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> approvalNotFound(text)).value();
    }

    static ProblemException approvalNotFound(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no approval '" + abbreviate(id) + "'");
    }

    /**
     * Parses an execution id of a path.
     *
     * @throws ProblemException (not found) if the text is not an id
     */
    static ExecutionId executionId(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> executionNotFound(text));
    }

    static ProblemException executionNotFound(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no execution '" + abbreviate(id) + "'");
    }

    /** Shortens a text of the caller for use in a message. */
    public static String abbreviate(String text) {
        return text.length() > MAX_ECHO_LENGTH ? text.substring(0, MAX_ECHO_LENGTH) + "…" : text;
    }
}
