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
import org.sallyport.access.Role;
import org.sallyport.callback.Callback;
import org.sallyport.callback.CallbackState;
import org.sallyport.callback.CallbackStore;
import org.sallyport.callback.Signatures;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** Who was told that executions have ended, and the secret that this is signed with. */
@ApplicationScoped
@Path("callbacks")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class CallbacksResource {
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;

    @Inject
    CallbackStore store;

    @Inject
    Signatures signatures;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("state") @Nullable String state,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        List<Callback> page =
                store.list(Requests.caller(request).tenant(), state(state), Cursor.decode(cursor), size + 1);
        boolean more = page.size() > size;
        List<Callback> shown = more ? page.subList(0, size) : page;
        return Response.ok(Representation.list(
                        shown.stream().map(CallbackAnswers::callback).toList(),
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
            throw Parameters.fault("state", "must be waiting, due, delivered or failed");
        }
    }

    @POST
    @Path("secret")
    @Allowed(Role.ADMIN)
    @Audited("callback.secret")
    public Response renewSecret(@Context HttpServletRequest request) {
        String secret = signatures.renew(Requests.caller(request).tenant());
        return Response.status(Response.Status.CREATED)
                .entity(Representation.object()
                        .put("secret", secret)
                        .put("previousForSeconds", Signatures.OVERLAP.toSeconds()))
                .build();
    }
}
