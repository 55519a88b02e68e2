package org.sallyport.web.error;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.UUID;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/** Where the container sends a request that ended with an error: its own pages would name it and its version. */
@WebServlet(name = "error", urlPatterns = ErrorServlet.PATH)
public class ErrorServlet extends HttpServlet {
    static final String PATH = "/error";

    private static final long serialVersionUID = 1;
    private static final Logger LOG = System.getLogger(ErrorServlet.class.getName());

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean sent = request.getDispatcherType() == DispatcherType.ERROR;
        Problem problem = sent ? problem(request) : of(HttpServletResponse.SC_NOT_FOUND);
        Object path = sent ? request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) : PATH;
        byte[] body = problem.body(path instanceof String text ? text : null);
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static Problem problem(HttpServletRequest request) {
        if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable thrown) {
            String incident = UUID.randomUUID().toString();
            LOG.log(Level.ERROR, "incident " + incident, thrown);
            return Problem.of(
                    ProblemType.INTERNAL_ERROR,
                    "the service failed; its log says more under incident " + incident,
                    members -> members.put("incident", incident));
        }
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        return of(status instanceof Integer code ? code : HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
    }

    private static Problem of(int status) {
        return switch (status) {
            case 404 -> Problem.of(ProblemType.NOT_FOUND, "there is nothing at this path");
            case 405, 501 -> Problem.of(ProblemType.METHOD_NOT_ALLOWED, "this path does not take this method");
            case 413 -> Problem.of(ProblemType.PAYLOAD_TOO_LARGE, "the request is larger than the service takes");
            case 503 -> Problem.of(ProblemType.UNAVAILABLE, "the service cannot answer now; try again shortly");
            default ->
                status >= HttpServletResponse.SC_INTERNAL_SERVER_ERROR
                        ? Problem.of(ProblemType.INTERNAL_ERROR, "the service failed")
                        : Problem.of(ProblemType.VALIDATION, "the request is not valid");
        };
    }
}
