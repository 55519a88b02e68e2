package org.sallyport.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.sallyport.access.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/** What every door asks of a request first. */
public final class RequestContexts {
    private static final int MAX_ECHO_LENGTH = 60;

    private RequestContexts() {}

    /** Who sent it; the filter has let nobody else through. */
    public static Caller caller(HttpServletRequest request) {
        if (request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller known) {
            return known;
        }
        throw new IllegalStateException("a request passed without authentication");
    }

    /** The approval that a path names; what is no id names none. */
    static UUID approvalId(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> approvalNotFound(text)).value();
    }

    static ProblemException approvalNotFound(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no approval '" + abbreviate(id) + "'");
    }

    /** The execution that a path names; what is no id names none. */
    static ExecutionId executionId(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> executionNotFound(text));
    }

    static ProblemException executionNotFound(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no execution '" + abbreviate(id) + "'");
    }

    /** A text of the caller's, short enough to be said back. */
    public static String abbreviate(String text) {
        return text.length() > MAX_ECHO_LENGTH ? text.substring(0, MAX_ECHO_LENGTH) + "…" : text;
    }
}
