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
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.identity.mtls.ClientCertificateMapper;
import org.sallyport.identity.token.JwtAuthenticator;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** Blocked subjects: their tokens are rejected for the tenant, even if the issuer still issues them. */
@ApplicationScoped
@Path("blocked-subjects")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.ADMIN)
public class BlockedSubjectsResource {
    private static final Set<String> KNOWN_MEMBERS = Set.of("issuer", "subject", "reason");
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int MAX_REASON_LENGTH = 2_000;

    @Inject
    BlockedSubjectCache blockedSubjects;

    @Inject
    JwtAuthenticator tokens;

    @Inject
    ClientCertificateMapper certificates;

    @Inject
    StrictJsonReader json;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        List<BlockedSubject> page = blockedSubjects.list(
                RequestContexts.caller(request).tenant(), Cursor.decode(cursor).map(ExecutionId::value), size + 1);
        boolean more = page.size() > size;
        List<BlockedSubject> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(BlockedSubjectsResource::represent).toList(),
                        more
                                ? Optional.of(Cursor.encode(
                                        new ExecutionId(shown.get(size - 1).id())))
                                : Optional.empty()))
                .build();
    }

    /** Blocks a subject. Blocking it again has no effect; the response shows the existing entry. */
    @POST
    @Audited("subject.block")
    public Response block(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(KNOWN_MEMBERS);
        Caller caller = RequestContexts.caller(request);
        BlockedSubject entry = blockedSubjects.block(
                caller.tenant(),
                new ExternalSubject(issuer(body), name(body)),
                body.text("reason", MAX_REASON_LENGTH).orElse(""),
                caller.id());
        return Response.created(URI.create("/api/v1/blocked-subjects/" + entry.id()))
                .entity(represent(entry))
                .build();
    }

    /**
     * Refuses an issuer that is not trusted: with a mistyped one, the caller would believe that a subject is blocked
     * which is not.
     */
    private String issuer(JsonMembers body) {
        return body.text("issuer", ExternalSubject.MAX_ISSUER_LENGTH)
                .filter(issuer -> tokens.isTrustedIssuer(issuer)
                        || certificates.isEnabled() && issuer.equals(ExternalSubject.CERTIFICATE_ISSUER))
                .orElseThrow(() -> body.invalidMember(
                        "issuer",
                        "must be one of the server's sallyport.jwt.issuers, or " + ExternalSubject.CERTIFICATE_ISSUER
                                + " where it has sallyport.tls.clients"));
    }

    private static String name(JsonMembers body) {
        return body.text("subject", ExternalSubject.MAX_NAME_LENGTH)
                .filter(ExternalSubject::isValidName)
                .orElseThrow(() -> body.invalidMember("subject", "must be the 'sub' of the tokens: printable ASCII"));
    }

    @DELETE
    @Audited("subject.unblock")
    @Path("{id}")
    public Response unblock(@Context HttpServletRequest request, @PathParam("id") String id) {
        boolean was = ExecutionId.parse(id)
                .map(which ->
                        blockedSubjects.unblock(RequestContexts.caller(request).tenant(), which.value()))
                .orElse(false);
        if (!was) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no blocked subject '" + RequestContexts.abbreviate(id) + "'");
        }
        return Response.noContent().build();
    }

    private static ObjectNode represent(BlockedSubject blocked) {
        ObjectNode json = ExecutionMapper.object()
                .put("id", blocked.id().toString())
                .put("issuer", blocked.subject().issuer())
                .put("subject", blocked.subject().name())
                .put("caller", blocked.subject().callerId());
        if (!blocked.reason().isEmpty()) {
            json.put("reason", blocked.reason());
        }
        return json.put("by", blocked.blockedBy()).put("at", blocked.blockedAt().toString());
    }
}
