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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.execution.Effects;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Submitted;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.script.LeadingComment;
import org.sallyport.secret.Hidden;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** Makes a capability of an execution that went well: its script, the tools it called, and a test of what was recorded. */
@ApplicationScoped
@Path("executions/{id}/capability")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.OPERATOR)
public class PromotionResource {
    private static final Set<String> KNOWN =
            Set.of("name", "version", "description", "inputSchema", "outputSchema", "tools", "env", "recordedTest");
    private static final int PAGE = 1_000;
    private static final long MOST_CHARS = 200_000;
    private static final int LONGEST_DESCRIPTION = 10_000;

    @Inject
    ExecutionStore store;

    @Inject
    ExecutionAnswers answers;

    @Inject
    Journal journal;

    @Inject
    NestedRunStore nested;

    @Inject
    Hidden hidden;

    @Inject
    CapabilityPublication publication;

    @Inject
    SchemaCheck schemas;

    @Inject
    StrictJson json;

    @POST
    @Audited("capability.publish")
    public void promote(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        ObjectNode body = json.read(headers, in).json();
        Members members = new Members(body);
        members.allow(KNOWN);
        boolean tested = members.flag("recordedTest").orElse(true);
        body.remove("recordedTest");
        Submitted run = complete(caller, answers.find(caller, Requests.execution(id)), tested, body);
        publication
                .publish(
                        caller,
                        CapabilityReader.published(new Members(body), schemas),
                        shown(caller).of(run.args()),
                        shown(caller).of(run.context()))
                .thenAccept(response::resume)
                .whenComplete(ExecutionAnswers.fail(response));
    }

    /** What is not said is taken from the run. */
    private Submitted complete(Caller caller, Execution run, boolean tested, ObjectNode body) {
        if (run.state() != ExecutionState.COMPLETED || !(run.effects() instanceof Effects.Real)) {
            throw new ProblemException(Problem.of(
                    ProblemType.NOT_PROMOTABLE,
                    run.state() == ExecutionState.COMPLETED
                            ? "the execution was a dry run, or held to a plan; run the script as it is first"
                            : "the execution is " + run.state() + "; a capability is made of one that is COMPLETED",
                    members -> members.put("state", run.state().name())));
        }
        Submitted submitted = store.submitted(caller.tenant(), run.id())
                .orElseThrow(() -> Requests.noExecution(run.id().toString()));
        RecordedTest recorded = recorded(caller, run.id());
        body.put("code", submitted.code());
        body.put("language", submitted.summary().language().name().toLowerCase(Locale.ROOT));
        if (!body.hasNonNull("tools")) {
            needed(caller, recorded).forEach(body.putArray("tools")::add);
        }
        if (!body.hasNonNull("description")) {
            body.put("description", LeadingComment.of(submitted.code(), LONGEST_DESCRIPTION));
        }
        if (tested) {
            WithoutSecrets shown = shown(caller);
            Json result = run.result().orElse(Json.NULL);
            body.put(
                    "tests",
                    recorded.code(
                            run.id(), shown.of(submitted.args()), shown.of(submitted.context()), shown.of(result)));
        }
        return submitted;
    }

    /** What it called, and what the capabilities that it called might call: they may no more than who calls them. */
    private Set<String> needed(Caller caller, RecordedTest recorded) {
        Set<String> tools = new TreeSet<>(recorded.tools());
        for (ExecutionId run : recorded.nestedRuns()) {
            store.submitted(caller.tenant(), run).ifPresent(nestedRun -> tools.addAll(nestedRun.grants()));
        }
        return tools;
    }

    private WithoutSecrets shown(Caller caller) {
        return new WithoutSecrets(hidden.of(caller.tenant()));
    }

    private RecordedTest recorded(Caller caller, ExecutionId id) {
        WithoutSecrets shown = shown(caller);
        RecordedTest recorded = new RecordedTest();
        long last = 0;
        List<TraceEvent> events;
        do {
            events = journal.trace(id, last, PAGE);
            NestedCalls capabilityCalls = NestedCalls.of(nested, id, events);
            for (TraceEvent event : events) {
                recorded.add(shown.of(event), capabilityCalls);
                last = event.seq();
            }
            if (recorded.chars() > MOST_CHARS) {
                throw new ProblemException(
                        ProblemType.NOT_PROMOTABLE,
                        "what its tools answered is longer than " + MOST_CHARS
                                + " characters, too long for a test: publish its script with tests of your own");
            }
        } while (events.size() == PAGE);
        return recorded;
    }
}
