package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.script.ScriptDescription;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** Publishes a successful execution as a capability: its script, the tools it called, and a test from its recording. */
@ApplicationScoped
@Path("executions/{id}/capability")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.OPERATOR)
public class PromotionResource {
    private static final Set<String> KNOWN_MEMBERS =
            Set.of("name", "version", "description", "inputSchema", "outputSchema", "tools", "env", "recordedTest");
    private static final long MAX_RECORDED_CHARS = 200_000;
    private static final int MAX_DESCRIPTION_LENGTH = 10_000;

    @Inject
    ExecutionStore store;

    @Inject
    ExecutionResponder responder;

    @Inject
    Journal journal;

    @Inject
    NestedExecutionStore nested;

    @Inject
    RedactionProvider redactions;

    @Inject
    CapabilityPublisher publisher;

    @Inject
    RequiredToolCheck requiredToolCheck;

    @Inject
    JsonSchemaValidator schemas;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @POST
    @Audited("capability.publish")
    public void promote(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ObjectNode body = json.read(headers, in);
        JsonMembers members = new JsonMembers(body);
        members.rejectUnknown(KNOWN_MEMBERS);
        boolean tested = members.flag("recordedTest").orElse(true);
        body.remove("recordedTest");
        StoredSubmission run =
                fillFromExecution(caller, responder.find(caller, RequestContexts.executionId(id)), tested, body);
        CapabilityReader.PublishCapabilityRequest wanted =
                CapabilityReader.readPublishRequest(new JsonMembers(body), schemas);
        Json args = redactor(caller).redact(run.args());
        Json context = redactor(caller).redact(run.context());
        memory.holdUntilDone(() -> publisher.publish(caller, wanted, args, context))
                .thenAccept(response::resume)
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    /**
     * Takes members that the request omits from the execution.
     *
     * @throws ProblemException if the execution cannot be promoted
     */
    private StoredSubmission fillFromExecution(Caller caller, Execution run, boolean tested, ObjectNode body) {
        boolean ranNormally =
                run.effects() instanceof EffectMode.RealEffects || run.effects() instanceof EffectMode.ReadOnlyEffects;
        if (run.state() != ExecutionState.COMPLETED || !ranNormally) {
            throw new ProblemException(Problem.of(
                    ProblemType.NOT_PROMOTABLE,
                    run.state() == ExecutionState.COMPLETED
                            ? "the execution was a dry run, or limited to a plan; run the script normally first"
                            : "the execution is " + run.state() + "; only a COMPLETED one can become a capability",
                    members -> members.put("state", run.state().name())));
        }
        StoredSubmission submitted = store.findSubmission(caller.tenant(), run.id())
                .orElseThrow(() -> RequestContexts.executionNotFound(run.id().toString()));
        TestFromRecording recorded = recordTest(caller, run.id());
        body.put("code", submitted.code());
        body.put("language", submitted.summary().language().name().toLowerCase(Locale.ROOT));
        if (!body.hasNonNull("tools")) {
            requiredTools(caller, recorded).forEach(body.putArray("tools")::add);
        }
        if (!body.hasNonNull("description")) {
            body.put("description", ScriptDescription.of(submitted.code(), MAX_DESCRIPTION_LENGTH));
        }
        if (tested) {
            TraceRedactor shown = redactor(caller);
            Json result = run.result().orElse(Json.NULL);
            body.put(
                    "tests",
                    recorded.code(
                            run.id(),
                            shown.redact(submitted.args()),
                            shown.redact(submitted.context()),
                            shown.redact(result)));
        }
        return submitted;
    }

    /**
     * The tools that the execution called, and the tools granted to the capabilities that it called: a capability may
     * use no more tools than its caller. A tool that the execution did not find and that does not exist is left out: a
     * capability that names it cannot be published.
     */
    private Set<String> requiredTools(Caller caller, TestFromRecording recorded) {
        Set<String> tools = new TreeSet<>(recorded.tools());
        requiredToolCheck
                .findMissing(caller.tenant(), recorded.toolsNeverFound())
                .forEach(missing -> tools.remove(missing.tool()));
        for (ExecutionId run : recorded.nestedExecutions()) {
            store.findSubmission(caller.tenant(), run).ifPresent(nestedRun -> tools.addAll(nestedRun.grants()));
        }
        return tools;
    }

    private TraceRedactor redactor(Caller caller) {
        return new TraceRedactor(redactions.redactorFor(caller.tenant()));
    }

    private TestFromRecording recordTest(Caller caller, ExecutionId id) {
        TraceRedactor shown = redactor(caller);
        TestFromRecording recorded = new TestFromRecording();
        TracePager pager = new TracePager(journal::readTrace, id);
        for (List<TraceEvent> events = pager.nextPage(); !events.isEmpty(); events = pager.nextPage()) {
            CapabilityCallIndex capabilityCalls = CapabilityCallIndex.of(nested, id, events);
            for (TraceEvent event : events) {
                recorded.add(shown.redact(event), capabilityCalls);
            }
            if (recorded.estimatedChars() > MAX_RECORDED_CHARS) {
                throw new ProblemException(
                        ProblemType.NOT_PROMOTABLE,
                        "the recorded tool results are longer than " + MAX_RECORDED_CHARS
                                + " characters, too long for a test: publish the script with your own tests");
            }
        }
        return recorded;
    }
}
