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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.TestScript;
import org.sallyport.submission.Receipt;
import org.sallyport.submission.TestRuns;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.Allowed;

/** Tests of scripts: each request is an execution of its own, shown as a report. */
@ApplicationScoped
@Path("tests")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.SUBMITTER)
public class TestsResource {
    @Inject
    TestRuns tests;

    @Inject
    ExecutionStore store;

    @Inject
    ExecutionAnswers answers;

    @Inject
    StrictJson json;

    @Inject
    Configuration configuration;

    /** Waits for the end as long as it may; a caller who prefers less is told where to ask again. */
    @POST
    @Unaudited("The execution itself says who submitted it.")
    public void run(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        long seconds = Parameters.preferredWait(
                        headers.getRequestHeaders().getOrDefault("Prefer", List.of()), longestWaitSeconds())
                .orElse(longestWaitSeconds());
        TestReader.Asked asked =
                TestReader.read(new Members(json.read(headers, in).json()), configuration);
        tests.accept(caller, asked.implementation(), asked.tests())
                .thenAccept(receipt -> answer(caller, receipt, seconds, response))
                .whenComplete(ExecutionAnswers.fail(response));
    }

    private void answer(Caller caller, Receipt receipt, long seconds, AsyncResponse response) {
        if (!(receipt instanceof Receipt.Accepted accepted)) {
            throw new ProblemException(ReceiptProblems.of(receipt));
        }
        answers.waitOrNot(caller, accepted.id(), seconds * 1_000)
                .thenAccept(found -> response.resume(
                        found.state().terminal()
                                ? Response.ok(report(found)).build()
                                : Response.accepted(report(found))
                                        .location(URI.create("/api/v1/tests/" + found.id()))
                                        .build()))
                .whenComplete(ExecutionAnswers.fail(response));
    }

    @GET
    @Path("{id}")
    @Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public void get(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("wait") @Nullable String wait,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        long seconds = Parameters.whole("wait", wait, 0, 0, longestWaitSeconds());
        ExecutionId execution = Requests.execution(id);
        boolean tested = store.code(caller.tenant(), execution)
                .filter(code ->
                        TestScript.in(new Script(code, Language.JAVASCRIPT)).isPresent())
                .isPresent();
        if (!tested) {
            throw new ProblemException(ProblemType.NOT_FOUND, "there are no tests '" + Requests.shown(id) + "'");
        }
        Execution now = answers.find(caller, execution);
        answers.waitInTurn(caller, execution, now.state().terminal() ? 0 : seconds * 1_000)
                .thenAccept(found -> response.resume(Response.ok(report(found)).build()))
                .whenComplete(ExecutionAnswers.fail(response));
    }

    private ObjectNode report(Execution execution) {
        return TestReport.of(execution, answers.represent(execution, 0, 0));
    }

    private long longestWaitSeconds() {
        return configuration.get(LimitSettings.WAIT).toSeconds();
    }
}
