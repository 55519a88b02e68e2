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
import java.util.function.BiFunction;
import org.sallyport.auth.Caller;
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

    @Inject
    ExecutionFacade facade;

    @GET
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        return Response.ok(CallbackMapper.callback(requireCallback(onLastAttempt(caller, id, store::find), id)))
                .build();
    }

    @POST
    @Path("redeliver")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    @Audited("callback.redeliver")
    public Response redeliver(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        Callback callback = requireCallback(onLastAttempt(caller, id, store::redeliver), id);
        if (callback.state() == CallbackState.WAITING) {
            throw new ProblemException(
                    ProblemType.NOT_TERMINAL, "the execution has not ended, so its callback is not due yet");
        }
        return Response.accepted(CallbackMapper.callback(callback)).build();
    }

    /**
     * Finds the callback of an execution at its last attempt, to which it belongs. Looks twice: the callback may move
     * to the next attempt while this method runs.
     */
    private Optional<Callback> onLastAttempt(
            Caller caller, String id, BiFunction<String, ExecutionId, Optional<Callback>> action) {
        ExecutionId execution = RequestContexts.executionId(id);
        return action.apply(caller.tenant(), facade.findLastAttempt(caller, execution))
                .or(() -> action.apply(caller.tenant(), facade.findLastAttempt(caller, execution)));
    }

    private static Callback requireCallback(Optional<Callback> callback, String id) {
        return callback.orElseThrow(() -> new ProblemException(
                ProblemType.NOT_FOUND,
                "there is no execution '" + RequestContexts.abbreviate(id) + "' with a callback"));
    }
}
