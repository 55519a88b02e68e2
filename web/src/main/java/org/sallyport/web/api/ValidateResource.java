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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.policy.Grants;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.sandbox.source.Mentions;
import org.sallyport.sandbox.source.Place;
import org.sallyport.sandbox.tier.ToolUse;
import org.sallyport.submission.Receipt;
import org.sallyport.submission.Reception;
import org.sallyport.submission.Submission;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.ProblemException;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.Allowed;

/** Says what would become of a script, without running or storing it. */
@ApplicationScoped
@Path("validate")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.SUBMITTER)
public class ValidateResource {
    private static final int MOST = 500;

    @Inject
    Reception reception;

    @Inject
    Catalog catalog;

    @Inject
    StrictJson json;

    @POST
    @Unaudited("It changes nothing.")
    public void validate(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        ObjectNode body = json.read(headers, in).json();
        ResultReader.take(body);
        Submission submission = SubmissionReader.readToKeep(new Members(body), Optional.empty());
        reception
                .check(caller, submission)
                .thenAccept(refusal -> response.resume(
                        Response.ok(verdict(caller, submission, refusal)).build()))
                .whenComplete(ExecutionAnswers.fail(response));
    }

    private ObjectNode verdict(Caller caller, Submission submission, Optional<Receipt> refusal) {
        ObjectNode verdict = Representation.object().put("valid", refusal.isEmpty());
        refusal.map(ReceiptProblems::of).ifPresent(problem -> {
            if (refusal.get() instanceof Receipt.Unavailable) {
                throw new ProblemException(problem);
            }
            verdict.set("problem", problem.json());
        });
        if (refusal.isEmpty()) {
            verdict.put("tier", reception.tier(caller, submission).name().toLowerCase(Locale.ROOT));
        }
        verdict.putArray("tools");
        verdict.putArray("modules");
        if (refusal.isEmpty() || refusal.get() instanceof Receipt.BadSyntax) {
            Script script = new Script(
                    submission.code(), Language.valueOf(submission.language().name()));
            Grants grants = new Grants(Reception.grants(caller, submission));
            ToolUse.of(script, tools()).stream()
                    .limit(MOST)
                    .forEach(use -> verdict.withArray("tools").add(tool(use, grants)));
            Mentions.of(script).modules().stream()
                    .limit(MOST)
                    .forEach(module -> verdict.withArray("modules")
                            .add(at(module.place(), Representation.object().put("name", module.name()))));
        }
        return verdict;
    }

    private List<GuestTool> tools() {
        return ToolIdentifiers.given(catalog.all().stream()
                .map(tool -> new GuestTool(
                        tool.spec().name().backend(), tool.spec().name().tool()))
                .toList());
    }

    private ObjectNode tool(ToolUse use, Grants grants) {
        ToolName name = new ToolName(use.tool().backend(), use.tool().tool());
        ObjectNode shown = at(use.place(), Representation.object().put("name", name.toString()));
        shown.put("known", use.known());
        shown.put("granted", grants.allows(name));
        if (!use.known()) {
            catalog.nearest(name).forEach(near -> shown.withArray("near").add(near.toString()));
        }
        Optional<CatalogTool> tool = use.known() ? catalog.find(name) : Optional.empty();
        tool.flatMap(known ->
                        use.arguments().flatMap(arguments -> known.schema().fault(new Json(arguments))))
                .ifPresent(fault -> shown.put("fault", fault));
        return shown;
    }

    private static ObjectNode at(Place place, ObjectNode json) {
        return place.known() ? json.put("line", place.line()).put("column", place.column()) : json;
    }
}
