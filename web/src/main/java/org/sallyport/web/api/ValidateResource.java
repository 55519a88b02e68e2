package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.ToolGrants;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.directcall.ToolReference;
import org.sallyport.submission.Submission;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.SubmissionService;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.ProblemException;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.RolesAllowed;

/** Validates a submission without running or storing it. */
@ApplicationScoped
@Path("validate")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.SUBMITTER)
public class ValidateResource {
    private static final int MAX_REFERENCES = 500;

    @Inject
    SubmissionService submissions;

    @Inject
    ToolCatalog catalog;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @POST
    @Unaudited("It changes nothing.")
    public void validate(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ObjectNode body = json.read(headers, in);
        CacheOptionsReader.extractMaxAge(body);
        Submission submission = SubmissionReader.readWithSaveAs(new JsonMembers(body), Optional.empty());
        memory.holdUntilDone(() -> submissions
                        .checkWithReferences(caller, submission)
                        .thenApply(checked -> report(caller, checked)))
                .thenAccept(report -> response.resume(Response.ok(report).build()))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    private ObjectNode report(Caller caller, SubmissionService.ReferencedSubmission referenced) {
        Submission submission = referenced.checked().submission();
        Optional<SubmissionResult> refusal = referenced.checked().refusal();
        ObjectNode verdict = ExecutionMapper.object().put("valid", refusal.isEmpty());
        refusal.map(SubmissionProblems::toProblem).ifPresent(problem -> {
            if (refusal.get() instanceof SubmissionResult.ScriptCheckUnavailable) {
                throw new ProblemException(problem);
            }
            verdict.set("problem", problem.json());
        });
        if (refusal.isEmpty()) {
            verdict.put("tier", submissions.tier(caller, submission).name().toLowerCase(Locale.ROOT));
            verdict.put("language", submission.language().name().toLowerCase(Locale.ROOT));
        }
        verdict.putArray("tools");
        verdict.putArray("modules");
        if (refusal.isEmpty() || refusal.get() instanceof SubmissionResult.InvalidScriptSyntax) {
            Script script = new Script(
                    submission.code(),
                    SourceLanguage.valueOf(submission.language().name()));
            ToolGrants grants = new ToolGrants(SubmissionService.effectiveGrants(caller, submission));
            ScriptReferences references = referenced.references();
            ToolReference.findIn(script, references, catalog.guestTools()).stream()
                    .limit(MAX_REFERENCES)
                    .forEach(use -> verdict.withArray("tools").add(tool(use, grants)));
            references.modules().stream()
                    .limit(MAX_REFERENCES)
                    .forEach(module -> verdict.withArray("modules")
                            .add(withPosition(
                                    module.line(),
                                    module.column(),
                                    ExecutionMapper.object().put("name", module.name()))));
        }
        return verdict;
    }

    private ObjectNode tool(ToolReference use, ToolGrants grants) {
        ToolName name = new ToolName(use.tool().backend(), use.tool().tool());
        ObjectNode shown =
                withPosition(use.line(), use.column(), ExecutionMapper.object().put("name", name.toString()));
        shown.put("known", use.exists());
        shown.put("granted", grants.allows(name));
        if (!use.exists()) {
            catalog.nearest(name)
                    .forEach(suggestion -> shown.withArray("suggestions").add(suggestion.toString()));
        }
        Optional<CatalogTool> tool = use.exists() ? catalog.find(name) : Optional.empty();
        tool.flatMap(known -> known.unusable()
                        .map(reason -> "it cannot be used: " + reason)
                        .or(() -> use.arguments()
                                .flatMap(arguments -> known.schema().validationError(new Json(arguments)))))
                .ifPresent(error -> shown.put("fault", error));
        return shown;
    }

    private static ObjectNode withPosition(int line, int column, ObjectNode json) {
        return line > 0 ? json.put("line", line).put("column", column) : json;
    }
}
