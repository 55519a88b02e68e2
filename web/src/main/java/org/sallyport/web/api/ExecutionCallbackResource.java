package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Optional;
import org.sallyport.auth.Role;
import org.sallyport.callback.Callback;
import org.sallyport.callback.CallbackState;
import org.sallyport.callback.CallbackStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The callback of one execution: its delivery status, and redelivery. */
@ApplicationScoped
@Path("executions/{id}/callback")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionCallbackResource {
    @Inject
    CallbackStore store;

    @GET
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        ExecutionId execution = RequestContexts.executionId(id);
        return Response.ok(CallbackMapper.callback(requireCallback(
                        store.find(RequestContexts.caller(request).tenant(), execution), id)))
                .build();
    }

    @POST
    @Path("redeliver")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    @Audited("callback.redeliver")
    public Response redeliver(@Context HttpServletRequest request, @PathParam("id") String id) {
        ExecutionId execution = RequestContexts.executionId(id);
        Callback callback =
                requireCallback(store.redeliver(RequestContexts.caller(request).tenant(), execution), id);
        if (callback.state() == CallbackState.WAITING) {
            throw new ProblemException(
                    ProblemType.NOT_TERMINAL, "the execution has not ended, so its callback is not due yet");
        }
        return Response.accepted(CallbackMapper.callback(callback)).build();
    }

    private static Callback requireCallback(Optional<Callback> callback, String id) {
        return callback.orElseThrow(() -> new ProblemException(
                ProblemType.NOT_FOUND,
                "there is no execution '" + RequestContexts.abbreviate(id) + "' with a callback"));
    }
}
