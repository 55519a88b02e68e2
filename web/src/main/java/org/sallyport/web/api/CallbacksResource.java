package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Role;
import org.sallyport.callback.Callback;
import org.sallyport.callback.CallbackSigner;
import org.sallyport.callback.CallbackState;
import org.sallyport.callback.CallbackStore;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The callbacks that report the end of executions, and the secret that signs them. */
@ApplicationScoped
@Path("callbacks")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class CallbacksResource {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;

    @Inject
    CallbackStore store;

    @Inject
    CallbackSigner signer;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("state") @Nullable String state,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        List<Callback> page =
                store.list(RequestContexts.caller(request).tenant(), state(state), Cursor.decode(cursor), size + 1);
        boolean more = page.size() > size;
        List<Callback> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(CallbackMapper::callback).toList(),
                        more ? Optional.of(Cursor.encode(shown.get(size - 1).execution())) : Optional.empty()))
                .build();
    }

    private static CallbackState state(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return CallbackState.FAILED;
        }
        try {
            return CallbackState.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw RequestParameters.invalidParameter("state", "must be waiting, due, delivered or failed");
        }
    }

    @POST
    @Path("secret")
    @RolesAllowed(Role.ADMIN)
    @Audited("callback.secret")
    public Response renewSecret(@Context HttpServletRequest request) {
        String secret = signer.rotateSecret(RequestContexts.caller(request).tenant());
        return Response.status(Response.Status.CREATED)
                .entity(ExecutionMapper.object()
                        .put("secret", secret)
                        .put("previousForSeconds", CallbackSigner.ROTATION_OVERLAP.toSeconds()))
                .build();
    }
}
