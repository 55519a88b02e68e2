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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Ballot;
import org.sallyport.execution.ExecutionId;
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
    private static final Set<String> LINKING = Set.of("patienceMillis");
    private static final int LONGEST_NOTE = 2_000;
    private static final long LINK_MILLIS = Duration.ofDays(1).toMillis();
    private static final long LEAST_LINK_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long MOST_LINK_MILLIS = Duration.ofDays(30).toMillis();

    @Inject
    ApprovalStore approvals;

    @Inject
    ApprovalCalls calls;

    @Inject
    StrictJson json;

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
        Caller caller = Requests.caller(request);
        List<Approval> page = approvals.list(caller.tenant(), open, before, most + 1);
        boolean more = page.size() > most;
        List<Approval> shown = more ? page.subList(0, most) : page;
        return Response.ok(Representation.list(
                        calls.show(caller, shown),
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

    @POST
    @Audited("approval.link")
    @Path("{id}/links")
    @Allowed(Role.APPROVER)
    public Response link(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        UUID approval = Requests.approval(id);
        Members body = new Members(json.read(headers, in).json());
        body.allow(LINKING);
        long millis = body.whole("patienceMillis").orElse(LINK_MILLIS);
        if (millis < LEAST_LINK_MILLIS || millis > MOST_LINK_MILLIS) {
            throw body.fault("patienceMillis", "must be from " + LEAST_LINK_MILLIS + " to " + MOST_LINK_MILLIS);
        }
        return Response.ok(calls.link(caller, approval, Duration.ofMillis(millis)))
                .status(Response.Status.CREATED)
                .build();
    }

    @DELETE
    @Audited("approval.unlink")
    @Path("{id}/links/{link}")
    @Allowed(Role.APPROVER)
    public Response unlink(
            @Context HttpServletRequest request, @PathParam("id") String id, @PathParam("link") String link) {
        calls.unlink(Requests.caller(request), Requests.approval(id), link);
        return Response.noContent().build();
    }

    private Response vote(Caller caller, String id, Ballot ballot) {
        return Response.ok(calls.vote(caller, Requests.approval(id), ballot)).build();
    }
}
