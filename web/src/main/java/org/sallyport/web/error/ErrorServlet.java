package org.sallyport.web.error;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.sallyport.web.Problem;

/**
 * The target of the container's error dispatch. It replaces the container's own error pages, which reveal the container
 * and its version.
 */
@WebServlet(name = "error", urlPatterns = ErrorServlet.PATH, asyncSupported = true)
public class ErrorServlet extends HttpServlet {
    static final String PATH = "/error";

    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean sent = request.getDispatcherType() == DispatcherType.ERROR;
        Problem problem = sent ? problem(request) : Problem.ofStatus(HttpServletResponse.SC_NOT_FOUND);
        Object path = sent ? request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) : PATH;
        byte[] body = problem.body(path instanceof String text ? text : null);
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static Problem problem(HttpServletRequest request) {
        if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable thrown) {
            return Problem.ofInternalError(thrown);
        }
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        return Problem.ofStatus(status instanceof Integer code ? code : HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
    }
}
