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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.bridge.PolicyBacktest;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.journal.Journal;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.policyengine.InvalidPolicyException;
import org.sallyport.policyengine.PolicyCache;
import org.sallyport.policyengine.PolicyParser;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.RolesAllowed;

/**
 * The policies that authorize calls: their versions, explanations for one call, and backtests against recorded calls.
 */
@ApplicationScoped
@Path("policies")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class PoliciesResource {
    private static final int MAX_VERSIONS = 100;
    /** Maximum number of characters of the documents in a list with more than one version. */
    private static final long MAX_LISTED_CHARS = 4L << 20;

    private static final int MAX_COMMENT_LENGTH = 2_000;
    private static final int MAX_TOOL_NAME_LENGTH = 500;

    @Inject
    PolicyStore store;

    @Inject
    PolicyCache policyCache;

    @Inject
    ToolCallAuthorizer authorizer;

    @Inject
    ExecutionStore executions;

    @Inject
    Journal journal;

    @Inject
    NestedExecutionStore nested;

    @Inject
    StrictJsonReader json;

    @GET
    public Response list(@Context HttpServletRequest request) {
        String tenant = RequestContexts.caller(request).tenant();
        List<ObjectNode> versions = new ArrayList<>();
        long chars = 0;
        // One after the other, because a document may have megabytes.
        Optional<PolicyVersion> next = store.findNewest(tenant);
        while (next.isPresent() && versions.size() < MAX_VERSIONS) {
            PolicyVersion version = next.get();
            chars += version.document().text().length();
            if (chars > MAX_LISTED_CHARS && !versions.isEmpty()) {
                break;
            }
            versions.add(version(version));
            next = store.find(tenant, version.version() - 1);
        }
        return Response.ok(ExecutionMapper.list(versions, Optional.empty())).build();
    }

    @GET
    @Path("{version}")
    public Response find(@Context HttpServletRequest request, @PathParam("version") String text) {
        long number = text.matches("[1-9]\\d{0,17}") ? Long.parseLong(text) : 0;
        PolicyVersion version = store.find(RequestContexts.caller(request).tenant(), number)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND,
                        "there is no version '" + RequestContexts.abbreviate(text) + "' of the policy"));
        return Response.ok(version(version)).build();
    }

    /** Stores a new version. It takes effect immediately on this node and after a moment on other nodes. */
    @POST
    @Audited("policy.change")
    @RolesAllowed(Role.ADMIN)
    public Response add(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = RequestContexts.caller(request);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("document", "comment", "replaces"));
        Json document = document(body).orElseThrow(() -> body.invalidMember("document", "is missing: the rules"));
        parse(document);
        long present = newestVersion(caller);
        long replaces = body.longValue("replaces").orElse(present);
        OptionalLong added = store.add(
                caller.tenant(),
                replaces,
                document,
                body.text("comment", MAX_COMMENT_LENGTH).orElse(""),
                caller.id());
        if (added.isEmpty()) {
            throw new ProblemException(Problem.of(
                    ProblemType.POLICY_CONFLICT,
                    "version " + newestVersion(caller) + " is in force, not " + replaces + "; review it first",
                    members -> members.put("version", newestVersion(caller))));
        }
        policyCache.invalidate(caller.tenant());
        PolicyVersion stored = store.find(caller.tenant(), added.getAsLong()).orElseThrow();
        return Response.created(URI.create("/api/v1/policies/" + stored.version()))
                .entity(version(stored))
                .build();
    }

    private long newestVersion(Caller caller) {
        return store.findNewest(caller.tenant()).map(PolicyVersion::version).orElse(0L);
    }

    /** Explains the decision of the rules in force, or of the rules in the request, for one call. */
    @POST
    @Unaudited("It changes nothing.")
    @Path("explain")
    @RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR})
    public Response explain(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = RequestContexts.caller(request);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("tool", "arguments", "before", "capability", "document"));
        CatalogTool tool = body.text("tool", MAX_TOOL_NAME_LENGTH)
                .flatMap(name -> authorizer.findTool(toolName(body, "tool", name), caller.tenant()))
                .orElseThrow(() -> body.invalidMember(
                        "tool",
                        "must name a tool of the catalog or a published capability, such as demo.echo or"
                                + " capabilities.shop.refund"));
        List<ToolName> before = body.texts("before", 10_000, MAX_TOOL_NAME_LENGTH).orElse(List.of()).stream()
                .map(name -> toolName(body, "before", name))
                .toList();
        Policy policy = policy(caller, body);
        Json arguments = body.json("arguments").orElse(Json.EMPTY_OBJECT);
        PolicyContext situation = new PolicyContext(caller.tenant(), () -> before, Instant.now())
                .withCapability(body.text("capability", MAX_TOOL_NAME_LENGTH))
                .canonicalName(authorizer::canonicalName);
        PolicyDecision decision = policy.decide(tool.spec(), arguments, situation);
        ObjectNode answer = PolicyMapper.decision(decision);
        policy.cost(tool.spec(), arguments)
                .filter(cost -> !cost.isZero())
                .ifPresent(cost -> answer.put("cost", cost.amount()));
        return Response.ok(answer).build();
    }

    /** Applies rules to recorded calls and reports their decisions. */
    @POST
    @Unaudited("It changes nothing.")
    @Path("backtest")
    @RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR})
    public Response backtest(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = RequestContexts.caller(request);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("document", "executions"));
        long maxExecutions = body.longValue("executions").orElse(100L);
        if (maxExecutions < 1 || maxExecutions > 1_000) {
            throw body.invalidMember("executions", "must be a whole number from 1 to 1000");
        }
        Policy proposed =
                parse(document(body).orElseThrow(() -> body.invalidMember("document", "is missing: the rules")));
        PolicyBacktest trial = new PolicyBacktest(executions, journal, authorizer, nested);
        return Response.ok(PolicyMapper.backtest(trial.run(
                        caller.tenant(), (int) maxExecutions, policyCache.policyFor(caller.tenant()), proposed)))
                .build();
    }

    private Policy policy(Caller caller, JsonMembers body) {
        return document(body).map(PoliciesResource::parse).orElseGet(() -> policyCache.policyFor(caller.tenant()));
    }

    private static Optional<Json> document(JsonMembers body) {
        return body.json("document");
    }

    private static Policy parse(Json document) {
        try {
            return PolicyParser.parse(document);
        } catch (InvalidPolicyException e) {
            throw new ProblemException(ProblemType.INVALID_POLICY, String.valueOf(e.getMessage()));
        }
    }

    private static ToolName toolName(JsonMembers body, String member, String name) {
        try {
            return ToolName.parse(name);
        } catch (IllegalArgumentException e) {
            throw body.invalidMember(member, "must name tools as backend.tool");
        }
    }

    private static ObjectNode version(PolicyVersion version) {
        ObjectNode node = ExecutionMapper.object();
        node.put("version", version.version());
        node.set("document", ExecutionMapper.raw(version.document()));
        node.put("comment", version.comment());
        node.put("author", version.author());
        node.put("createdAt", version.createdAt().toString());
        return node;
    }
}
