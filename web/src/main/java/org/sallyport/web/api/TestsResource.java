package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.TestRunService;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.RolesAllowed;

/** Tests of scripts. Each request is an execution of its own, represented as a report. */
@ApplicationScoped
@Path("tests")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.SUBMITTER)
public class TestsResource {
    @Inject
    TestRunService tests;

    @Inject
    ExecutionStore store;

    @Inject
    ExecutionResponder responder;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @Inject
    Configuration configuration;

    /**
     * Runs tests and waits for their end up to the maximum. A client that prefers a shorter wait gets the address of
     * the report.
     */
    @POST
    @Unaudited("The execution itself says who submitted it.")
    public void run(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        long seconds = RequestParameters.preferredWait(
                        headers.getRequestHeaders().getOrDefault("Prefer", List.of()), maxWaitSeconds())
                .orElse(maxWaitSeconds());
        TestReader.TestRequest asked = TestReader.read(new JsonMembers(json.read(headers, in)), configuration);
        memory.holdUntilDone(() -> tests.submit(caller, asked.implementation(), asked.tests()))
                .thenAccept(receipt -> respond(caller, receipt, seconds, response))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    private void respond(Caller caller, SubmissionResult receipt, long seconds, AsyncResponse response) {
        if (!(receipt instanceof SubmissionResult.SubmissionAccepted accepted)) {
            throw new ProblemException(SubmissionProblems.toProblem(receipt));
        }
        responder
                .waitIfPossible(caller, accepted.id(), seconds * 1_000)
                .thenAccept(found -> response.resume(
                        found.state().isTerminal()
                                ? Response.ok(report(found)).build()
                                : Response.accepted(report(found))
                                        .location(URI.create("/api/v1/tests/" + found.id()))
                                        .build()))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    @GET
    @Path("{id}")
    @RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public void get(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("wait") @Nullable String wait,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        long seconds = RequestParameters.longInRange("wait", wait, 0, 0, maxWaitSeconds());
        ExecutionId execution = RequestContexts.executionId(id);
        boolean tested = store.findCode(caller.tenant(), execution)
                .filter(code -> TestScript.parse(new Script(code, SourceLanguage.JAVASCRIPT))
                        .isPresent())
                .isPresent();
        if (!tested) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there are no tests '" + RequestContexts.abbreviate(id) + "'");
        }
        Execution now = responder.find(caller, execution);
        responder
                .waitWithinLimit(caller, execution, now.state().isTerminal() ? 0 : seconds * 1_000)
                .thenAccept(found -> response.resume(Response.ok(report(found)).build()))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    private ObjectNode report(Execution execution) {
        return TestReport.of(execution, responder.represent(execution, 0, 0));
    }

    private long maxWaitSeconds() {
        return configuration.get(LimitSettings.MAX_WAIT).toSeconds();
    }
}
