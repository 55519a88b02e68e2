package org.sallyport.web.api;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.InvalidSubmissionException;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Turns whatever is thrown into a problem; what is our own fault is logged under a number and shown without its insides. */
@Provider
public class ProblemMapper implements ExceptionMapper<Throwable> {
    private static final Logger LOG = System.getLogger(ProblemMapper.class.getName());

    @Context
    UriInfo uri;

    @Override
    public Response toResponse(Throwable thrown) {
        Problem problem = problem(thrown);
        Response.ResponseBuilder response = Response.status(problem.type().status())
                .type(Problem.MEDIA_TYPE)
                .entity(problem.body(uri.getRequestUri().getRawPath()));
        if (problem.type() == ProblemType.UNAVAILABLE) {
            response.header("Retry-After", "2");
        }
        return response.build();
    }

    private static Problem problem(Throwable thrown) {
        if (thrown instanceof CompletionException && thrown.getCause() != null) {
            return problem(thrown.getCause());
        } else if (thrown instanceof ProblemException known) {
            return known.problem();
        } else if (thrown instanceof InvalidSubmissionException invalid) {
            return Problem.of(
                    ProblemType.VALIDATION,
                    "'" + invalid.member() + "' " + invalid.getMessage(),
                    members -> members.put("member", invalid.member()));
        } else if (thrown instanceof StoreUnavailableException) {
            return Problem.of(ProblemType.UNAVAILABLE, "the database does not answer; try again shortly");
        } else if (thrown instanceof WebApplicationException web) {
            return ofStatus(web.getResponse().getStatus());
        }
        String incident = UUID.randomUUID().toString();
        LOG.log(Level.ERROR, "incident " + incident, thrown);
        return Problem.of(
                ProblemType.INTERNAL_ERROR,
                "the service failed; its log says more under incident " + incident,
                members -> members.put("incident", incident));
    }

    private static Problem ofStatus(int status) {
        return switch (status) {
            case 404 -> Problem.of(ProblemType.NOT_FOUND, "there is nothing at this path");
            case 405 -> Problem.of(ProblemType.METHOD_NOT_ALLOWED, "this path does not take this method");
            case 406 -> Problem.of(ProblemType.NOT_ACCEPTABLE, "this path answers application/json");
            case 415 -> Problem.of(ProblemType.UNSUPPORTED_MEDIA_TYPE, "send 'Content-Type: application/json'");
            default ->
                status >= 500
                        ? Problem.of(ProblemType.INTERNAL_ERROR, "the service failed")
                        : Problem.of(ProblemType.VALIDATION, "the request is not valid");
        };
    }
}
