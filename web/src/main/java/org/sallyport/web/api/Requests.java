package org.sallyport.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.sallyport.access.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/** What every door asks of a request first. */
public final class Requests {
    private static final int SHOWN_CHARS = 60;

    private Requests() {}

    /** Who sent it; the filter has let nobody else through. */
    public static Caller caller(HttpServletRequest request) {
        if (request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller known) {
            return known;
        }
        throw new IllegalStateException("a request passed without authentication");
    }

    /** The approval that a path names; what is no id names none. */
    static UUID approval(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> noApproval(text)).value();
    }

    static ProblemException noApproval(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no approval '" + shown(id) + "'");
    }

    /** The execution that a path names; what is no id names none. */
    static ExecutionId execution(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> noExecution(text));
    }

    static ProblemException noExecution(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no execution '" + shown(id) + "'");
    }

    /** A text of the caller's, short enough to be said back. */
    public static String shown(String text) {
        return text.length() > SHOWN_CHARS ? text.substring(0, SHOWN_CHARS) + "…" : text;
    }
}
