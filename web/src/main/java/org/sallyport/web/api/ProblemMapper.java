package org.sallyport.web.api;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.net.URI;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.InvalidSubmissionException;
import org.sallyport.web.AllowHeader;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Maps every exception to a problem. An internal error is logged with a number; the client gets the number and no
 * details.
 */
@Provider
public class ProblemMapper implements ExceptionMapper<Throwable> {
    private static final Set<ProblemType> RETRYABLE = EnumSet.of(
            ProblemType.UNAVAILABLE, ProblemType.RATE_LIMITED, ProblemType.QUEUE_FULL, ProblemType.QUOTA_EXCEEDED);

    @Context
    UriInfo uri;

    @Override
    public Response toResponse(Throwable thrown) {
        Problem problem = problem(thrown);
        Response.ResponseBuilder response = Response.status(problem.type().status())
                .type(Problem.MEDIA_TYPE)
                .entity(problem.body(uri.getRequestUri().getRawPath()));
        // A client that repeats such a request on its own could run a script twice.
        if (RETRYABLE.contains(problem.type()) && !OutcomeProblems.mayHaveTakenEffect(problem)) {
            response.header("Retry-After", "2");
        }
        OutcomeProblems.location(problem).map(URI::create).ifPresent(response::location);
        if (thrown instanceof WebApplicationException web
                && !web.getResponse().getAllowedMethods().isEmpty()) {
            response.header(
                    AllowHeader.NAME, AllowHeader.value(web.getResponse().getAllowedMethods()));
        }
        return response.build();
    }

    /** The problem of an exception. */
    public static Problem problem(Throwable thrown) {
        if (thrown instanceof CompletionException && thrown.getCause() != null) {
            return problem(thrown.getCause());
        } else if (thrown instanceof ProblemException known) {
            return known.problem();
        } else if (thrown instanceof InvalidSubmissionException invalid) {
            return Problem.of(
                    ProblemType.VALIDATION,
                    "'" + invalid.member() + "' " + invalid.getMessage(),
                    members -> members.put("member", invalid.member()));
        } else if (thrown instanceof InvalidBackendException invalid) {
            return Problem.of(
                    ProblemType.VALIDATION,
                    "'" + invalid.member() + "' " + invalid.getMessage(),
                    members -> members.put("member", invalid.member()));
        } else if (thrown instanceof StoreUnavailableException away) {
            return away.maybeStored()
                    ? OutcomeProblems.unknown("the database does not answer, so it is unknown whether the request took"
                            + " effect; check that before you repeat it")
                    : Problem.of(ProblemType.UNAVAILABLE, "the database does not answer; try again shortly");
        } else if (thrown instanceof WebApplicationException web) {
            return Problem.ofStatus(web.getResponse().getStatus());
        }
        return Problem.ofInternalError(thrown);
    }
}
