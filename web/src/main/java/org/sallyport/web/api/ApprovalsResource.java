package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** Approvals: list, show and vote. */
@ApplicationScoped
@Path("approvals")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ApprovalsResource {
    private static final Set<String> APPROVE_MEMBERS = Set.of("scope", "arguments", "result", "note");
    private static final Set<String> DENY_MEMBERS = Set.of("note");
    private static final Set<String> LINK_MEMBERS = Set.of("timeoutMillis");
    private static final int MAX_NOTE_LENGTH = 2_000;
    private static final long DEFAULT_LINK_MILLIS = Duration.ofDays(1).toMillis();
    private static final long MIN_LINK_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long MAX_LINK_MILLIS = Duration.ofDays(30).toMillis();

    @Inject
    ApprovalStore approvals;

    @Inject
    ApprovalFacade facade;

    @Inject
    StrictJsonReader json;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("state") @Nullable String state,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        String shownStates = state == null ? "pending" : state;
        if (!Set.of("pending", "any").contains(shownStates)) {
            throw RequestParameters.invalidParameter("state", "must be pending or any");
        }
        boolean open = shownStates.equals("pending");
        int pageSize = (int) RequestParameters.longInRange("limit", limit, 50, 1, 100);
        Optional<UUID> before = Cursor.decode(cursor).map(ExecutionId::value);
        Caller caller = RequestContexts.caller(request);
        ApprovalPage page = ApprovalPage.read(
                (last, count) -> approvals.list(caller.tenant(), open, last, count),
                before,
                pageSize,
                ApprovalPage.MAX_CHARS);
        List<Approval> shown = page.approvals();
        return Response.ok(ExecutionMapper.list(
                        facade.show(caller, shown),
                        page.more()
                                ? Optional.of(Cursor.encode(new ExecutionId(
                                        shown.get(shown.size() - 1).id())))
                                : Optional.empty()))
                .build();
    }

    @GET
    @Path("{id}")
    public Response find(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        Approval approval = approvals
                .find(caller.tenant(), RequestContexts.approvalId(id))
                .orElseThrow(() -> RequestContexts.approvalNotFound(id));
        return Response.ok(facade.show(caller, approval)).build();
    }

    @POST
    @Audited("approval.approve")
    @Path("{id}/approve")
    @RolesAllowed(Role.APPROVER)
    public Response approve(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(APPROVE_MEMBERS);
        String scope = body.text("scope", 20).orElse("once");
        if (!Set.of("once", "execution").contains(scope)) {
            throw body.invalidMember("scope", "must be once or execution");
        }
        return vote(
                caller,
                id,
                new ApprovalVote(
                        caller.id(),
                        true,
                        scope.equals("execution"),
                        body.json("arguments"),
                        body.json("result"),
                        body.text("note", MAX_NOTE_LENGTH).orElse("")));
    }

    @POST
    @Audited("approval.deny")
    @Path("{id}/deny")
    @RolesAllowed(Role.APPROVER)
    public Response deny(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(DENY_MEMBERS);
        String note = body.text("note", MAX_NOTE_LENGTH).orElse("");
        return vote(caller, id, new ApprovalVote(caller.id(), false, false, Optional.empty(), Optional.empty(), note));
    }

    @POST
    @Audited("approval.link")
    @Path("{id}/links")
    @RolesAllowed(Role.APPROVER)
    public Response link(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        UUID approval = RequestContexts.approvalId(id);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(LINK_MEMBERS);
        long millis = body.longValue("timeoutMillis").orElse(DEFAULT_LINK_MILLIS);
        if (millis < MIN_LINK_MILLIS || millis > MAX_LINK_MILLIS) {
            throw body.invalidMember("timeoutMillis", "must be from " + MIN_LINK_MILLIS + " to " + MAX_LINK_MILLIS);
        }
        return Response.ok(facade.createLink(caller, approval, Duration.ofMillis(millis)))
                .status(Response.Status.CREATED)
                .build();
    }

    @DELETE
    @Audited("approval.unlink")
    @Path("{id}/links/{link}")
    @RolesAllowed(Role.APPROVER)
    public Response unlink(
            @Context HttpServletRequest request, @PathParam("id") String id, @PathParam("link") String link) {
        facade.revokeLink(RequestContexts.caller(request), RequestContexts.approvalId(id), link);
        return Response.noContent().build();
    }

    private Response vote(Caller caller, String id, ApprovalVote ballot) {
        return Response.ok(facade.vote(caller, RequestContexts.approvalId(id), ballot))
                .build();
    }
}
