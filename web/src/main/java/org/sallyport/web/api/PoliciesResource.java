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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.bridge.CallGate;
import org.sallyport.bridge.PolicyTrial;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.journal.Journal;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.policy.Situation;
import org.sallyport.rules.InvalidRulesException;
import org.sallyport.rules.PolicyBook;
import org.sallyport.rules.RuleReader;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.Allowed;

/** The rules that calls are judged by: their versions, what they say of a call, and what others would have said. */
@ApplicationScoped
@Path("policies")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class PoliciesResource {
    private static final int SHOWN = 100;
    private static final int LONGEST_COMMENT = 2_000;
    private static final int LONGEST_TOOL = 500;

    @Inject
    PolicyStore store;

    @Inject
    PolicyBook book;

    @Inject
    CallGate gate;

    @Inject
    ExecutionStore executions;

    @Inject
    Journal journal;

    @Inject
    NestedRunStore nested;

    @Inject
    StrictJson json;

    @GET
    public Response list(@Context HttpServletRequest request) {
        List<PolicyVersion> versions = store.list(Requests.caller(request).tenant(), SHOWN);
        return Response.ok(Representation.list(
                        versions.stream().map(PoliciesResource::version).toList(), Optional.empty()))
                .build();
    }

    @GET
    @Path("{version}")
    public Response find(@Context HttpServletRequest request, @PathParam("version") String text) {
        long number = text.matches("[1-9]\\d{0,17}") ? Long.parseLong(text) : 0;
        PolicyVersion version = store.find(Requests.caller(request).tenant(), number)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "there is no version '" + Requests.shown(text) + "' of the policy"));
        return Response.ok(version(version)).build();
    }

    /** The new version is in force at once here, and after a moment on other nodes. */
    @POST
    @Audited("policy.change")
    @Allowed(Role.ADMIN)
    public Response add(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = Requests.caller(request);
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("document", "comment", "replaces"));
        Json document = document(body).orElseThrow(() -> body.fault("document", "is missing: the rules"));
        read(document);
        long present = newest(caller);
        long replaces = body.whole("replaces").orElse(present);
        OptionalLong added = store.add(
                caller.tenant(),
                replaces,
                document,
                body.text("comment", LONGEST_COMMENT).orElse(""),
                caller.keyId());
        if (added.isEmpty()) {
            throw new ProblemException(Problem.of(
                    ProblemType.POLICY_CONFLICT,
                    "version " + newest(caller) + " is in force, not " + replaces + "; look at it first",
                    members -> members.put("version", newest(caller))));
        }
        book.changed(caller.tenant());
        PolicyVersion stored = store.find(caller.tenant(), added.getAsLong()).orElseThrow();
        return Response.created(URI.create("/api/v1/policies/" + stored.version()))
                .entity(version(stored))
                .build();
    }

    private long newest(Caller caller) {
        return store.newest(caller.tenant()).map(PolicyVersion::version).orElse(0L);
    }

    /** What the rules in force, or those of the request, say of one call. */
    @POST
    @Unaudited("It changes nothing.")
    @Path("explain")
    @Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR})
    public Response explain(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = Requests.caller(request);
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("tool", "arguments", "before", "capability", "document"));
        CatalogTool tool = body.text("tool", LONGEST_TOOL)
                .flatMap(name -> gate.find(toolName(body, "tool", name), caller.tenant()))
                .orElseThrow(() -> body.fault(
                        "tool",
                        "must name a tool of the catalog or a published capability, such as demo.echo or"
                                + " capabilities.shop.refund"));
        List<ToolName> before = body.texts("before", 10_000, LONGEST_TOOL).orElse(List.of()).stream()
                .map(name -> toolName(body, "before", name))
                .toList();
        Policy policy = policy(caller, body);
        Json arguments = body.json("arguments").orElse(Json.EMPTY_OBJECT);
        Situation situation = new Situation(caller.tenant(), () -> before, Instant.now())
                .running(body.text("capability", LONGEST_TOOL))
                .spelling(gate::spelt);
        Decision decision = policy.decide(tool.spec(), arguments, situation);
        ObjectNode answer = PolicyAnswers.decision(decision);
        policy.cost(tool.spec(), arguments)
                .filter(cost -> !cost.isZero())
                .ifPresent(cost -> answer.put("cost", cost.amount()));
        return Response.ok(answer).build();
    }

    /** What rules would have said of calls that were made. */
    @POST
    @Unaudited("It changes nothing.")
    @Path("try")
    @Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR})
    public Response attempt(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = Requests.caller(request);
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("document", "executions"));
        long most = body.whole("executions").orElse(100L);
        if (most < 1 || most > 1_000) {
            throw body.fault("executions", "must be a whole number from 1 to 1000");
        }
        Policy proposed = read(document(body).orElseThrow(() -> body.fault("document", "is missing: the rules")));
        PolicyTrial trial = new PolicyTrial(executions, journal, gate, nested);
        return Response.ok(
                        PolicyAnswers.trial(trial.run(caller.tenant(), (int) most, book.of(caller.tenant()), proposed)))
                .build();
    }

    private Policy policy(Caller caller, Members body) {
        return document(body).map(PoliciesResource::read).orElseGet(() -> book.of(caller.tenant()));
    }

    private static Optional<Json> document(Members body) {
        return body.json("document");
    }

    private static Policy read(Json document) {
        try {
            return RuleReader.read(document);
        } catch (InvalidRulesException e) {
            throw new ProblemException(ProblemType.INVALID_POLICY, String.valueOf(e.getMessage()));
        }
    }

    private static ToolName toolName(Members body, String member, String name) {
        try {
            return ToolName.parse(name);
        } catch (IllegalArgumentException e) {
            throw body.fault(member, "must name tools as backend.tool");
        }
    }

    private static ObjectNode version(PolicyVersion version) {
        ObjectNode node = Representation.object();
        node.put("version", version.version());
        node.set("document", Representation.raw(version.document()));
        node.put("comment", version.comment());
        node.put("author", version.author());
        node.put("createdAt", version.createdAt().toString());
        return node;
    }
}
