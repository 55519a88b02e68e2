package org.sallyport.web.error;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemWriter;

/**
 * The target of the container's error dispatch. It replaces the container's own error pages, which reveal the container
 * and its version. It also answers each request for a path of no other servlet, whatever its method is: there is
 * nothing. Its pattern is {@code /*} and not {@code /}, because the container redirects a path of its default servlet
 * to a directory of the archive, such as {@code /WEB-INF}, and repeats the host name of the request.
 */
@WebServlet(
        name = "error",
        urlPatterns = {"/error", "/*"},
        asyncSupported = true)
public class ErrorServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean sent = request.getDispatcherType() == DispatcherType.ERROR;
        Problem problem = sent ? problem(request) : Problem.ofStatus(HttpServletResponse.SC_NOT_FOUND);
        Object path = sent ? request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) : request.getRequestURI();
        ProblemWriter.write(response, problem, path instanceof String text ? text : null);
    }

    private static Problem problem(HttpServletRequest request) {
        if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable thrown) {
            return Problem.ofInternalError(thrown);
        }
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        return Problem.ofStatus(status instanceof Integer code ? code : HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
    }
}
