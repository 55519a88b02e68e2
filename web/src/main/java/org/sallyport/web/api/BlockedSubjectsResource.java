package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.BlockedSubject;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.access.Subject;
import org.sallyport.certificate.Certificates;
import org.sallyport.execution.ExecutionId;
import org.sallyport.token.Tokens;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** Whose tokens are not taken for the tenant, although their issuer would still give them some. */
@ApplicationScoped
@Path("blocked-subjects")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.ADMIN)
public class BlockedSubjectsResource {
    private static final Set<String> KNOWN = Set.of("issuer", "subject", "reason");
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;
    private static final int LONGEST_REASON = 2_000;

    @Inject
    BlockedSubjects blocked;

    @Inject
    Tokens tokens;

    @Inject
    Certificates certificates;

    @Inject
    StrictJson json;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        List<BlockedSubject> page = blocked.list(
                Requests.caller(request).tenant(), Cursor.decode(cursor).map(ExecutionId::value), size + 1);
        boolean more = page.size() > size;
        List<BlockedSubject> shown = more ? page.subList(0, size) : page;
        return Response.ok(Representation.list(
                        shown.stream().map(BlockedSubjectsResource::represent).toList(),
                        more
                                ? Optional.of(Cursor.encode(
                                        new ExecutionId(shown.get(size - 1).id())))
                                : Optional.empty()))
                .build();
    }

    /** Blocked twice is blocked once: the answer is the one that stands. */
    @POST
    @Audited("subject.block")
    public Response block(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Members body = new Members(json.read(headers, in).json());
        body.allow(KNOWN);
        Caller caller = Requests.caller(request);
        BlockedSubject entry = blocked.block(
                caller.tenant(),
                new Subject(issuer(body), name(body)),
                body.text("reason", LONGEST_REASON).orElse(""),
                caller.keyId());
        return Response.created(URI.create("/api/v1/blocked-subjects/" + entry.id()))
                .entity(represent(entry))
                .build();
    }

    /** Who mistyped it would believe that somebody is out who is not. */
    private String issuer(Members body) {
        return body.text("issuer", Subject.LONGEST_ISSUER)
                .filter(issuer ->
                        tokens.knows(issuer) || certificates.areTaken() && issuer.equals(Subject.CERTIFICATES))
                .orElseThrow(() -> body.fault(
                        "issuer",
                        "must be one of the server's sallyport.jwt.issuers, or " + Subject.CERTIFICATES
                                + " where it has sallyport.tls.clients"));
    }

    private static String name(Members body) {
        return body.text("subject", Subject.LONGEST_NAME)
                .filter(Subject::isName)
                .orElseThrow(() -> body.fault("subject", "must be the 'sub' of the tokens: printable ASCII"));
    }

    @DELETE
    @Audited("subject.unblock")
    @Path("{id}")
    public Response unblock(@Context HttpServletRequest request, @PathParam("id") String id) {
        boolean was = ExecutionId.parse(id)
                .map(which -> blocked.unblock(Requests.caller(request).tenant(), which.value()))
                .orElse(false);
        if (!was) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no blocked subject '" + Requests.shown(id) + "'");
        }
        return Response.noContent().build();
    }

    private static ObjectNode represent(BlockedSubject blocked) {
        ObjectNode json = Representation.object()
                .put("id", blocked.id().toString())
                .put("issuer", blocked.subject().issuer())
                .put("subject", blocked.subject().name())
                .put("caller", blocked.subject().callerId());
        if (!blocked.reason().isEmpty()) {
            json.put("reason", blocked.reason());
        }
        return json.put("by", blocked.by()).put("at", blocked.at().toString());
    }
}
