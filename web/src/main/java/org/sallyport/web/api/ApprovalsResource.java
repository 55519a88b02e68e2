package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Ballot;
import org.sallyport.execution.ExecutionId;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Vault;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** What people are asked, and what they say. */
@ApplicationScoped
@Path("approvals")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ApprovalsResource {
    private static final Set<String> APPROVING = Set.of("scope", "arguments", "result", "note");
    private static final Set<String> DENYING = Set.of("note");
    private static final int LONGEST_NOTE = 2_000;

    @Inject
    ApprovalStore approvals;

    @Inject
    ApprovalCalls calls;

    @Inject
    StrictJson json;

    @Inject
    Vault vault;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("state") @Nullable String state,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        String shownStates = state == null ? "pending" : state;
        if (!Set.of("pending", "any").contains(shownStates)) {
            throw Parameters.fault("state", "must be pending or any");
        }
        boolean open = shownStates.equals("pending");
        int most = (int) Parameters.whole("limit", limit, 50, 1, 100);
        Optional<UUID> before = Cursor.decode(cursor).map(ExecutionId::value);
        List<Approval> page = approvals.list(Requests.caller(request).tenant(), open, before, most + 1);
        boolean more = page.size() > most;
        List<Approval> shown = more ? page.subList(0, most) : page;
        WithoutSecrets clean =
                new WithoutSecrets(vault.redaction(Requests.caller(request).tenant()));
        return Response.ok(Representation.list(
                        shown.stream()
                                .map(clean::of)
                                .map(ApprovalAnswers::approval)
                                .toList(),
                        more
                                ? Optional.of(Cursor.encode(
                                        new ExecutionId(shown.get(most - 1).id())))
                                : Optional.empty()))
                .build();
    }

    @GET
    @Path("{id}")
    public Response find(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        Approval approval =
                approvals.find(caller.tenant(), Requests.approval(id)).orElseThrow(() -> Requests.noApproval(id));
        return Response.ok(calls.show(caller, approval)).build();
    }

    @POST
    @Audited("approval.approve")
    @Path("{id}/approve")
    @Allowed(Role.APPROVER)
    public Response approve(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        Members body = new Members(json.read(headers, in).json());
        body.allow(APPROVING);
        String scope = body.text("scope", 20).orElse("once");
        if (!Set.of("once", "execution").contains(scope)) {
            throw body.fault("scope", "must be once or execution");
        }
        return vote(
                caller,
                id,
                new Ballot(
                        caller.keyId(),
                        true,
                        scope.equals("execution"),
                        body.json("arguments"),
                        body.json("result"),
                        body.text("note", LONGEST_NOTE).orElse("")));
    }

    @POST
    @Audited("approval.deny")
    @Path("{id}/deny")
    @Allowed(Role.APPROVER)
    public Response deny(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        Members body = new Members(json.read(headers, in).json());
        body.allow(DENYING);
        String note = body.text("note", LONGEST_NOTE).orElse("");
        return vote(caller, id, new Ballot(caller.keyId(), false, false, Optional.empty(), Optional.empty(), note));
    }

    private Response vote(Caller caller, String id, Ballot ballot) {
        return Response.ok(calls.vote(caller, Requests.approval(id), ballot)).build();
    }
}
