package org.sallyport.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/** What every resource asks of a request first. */
final class Requests {
    private static final int SHOWN_CHARS = 60;

    private Requests() {}

    /** Who sent it; the filter has let nobody else through. */
    static Caller caller(HttpServletRequest request) {
        if (request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller known) {
            return known;
        }
        throw new IllegalStateException("a request passed without authentication");
    }

    /** Who sent it, if that is somebody with one of {@code roles}; else a problem. */
    static Caller caller(HttpServletRequest request, Set<Role> roles) {
        Caller caller = caller(request);
        if (caller.roles().stream().noneMatch(roles::contains)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "this needs a key with one of the roles "
                            + String.join(
                                    ", ",
                                    roles.stream().map(Role::name).sorted().toList()));
        }
        return caller;
    }

    /** The execution that a path names; what is no id names none. */
    static ExecutionId execution(String text) {
        return ExecutionId.parse(text).orElseThrow(() -> noExecution(text));
    }

    static ProblemException noExecution(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no execution '" + shown(id) + "'");
    }

    /** A text of the caller's, short enough to be said back. */
    static String shown(String text) {
        return text.length() > SHOWN_CHARS ? text.substring(0, SHOWN_CHARS) + "…" : text;
    }
}
