package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.runner.Canceller;
import org.sallyport.secret.Hidden;
import org.sallyport.submission.Receipt;
import org.sallyport.web.ProblemException;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.stream.Line;
import org.sallyport.web.stream.Streams;

/** What happens to an execution, while it happens. */
@ApplicationScoped
@Path("executions/{id}/events")
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionEventsResource {
    @Inject
    ExecutionStore store;

    @Inject
    Journal journal;

    @Inject
    NestedRunStore nested;

    @Inject
    Waiting waiting;

    @Inject
    Hidden hidden;

    @Inject
    Streams streams;

    @Inject
    Canceller canceller;

    @GET
    @Produces("text/event-stream")
    public void events(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        Position from = Position.of(lastEventId);
        if (from == null) {
            from = Position.from(
                    Parameters.whole("after", after, 0, 0, Long.MAX_VALUE),
                    Parameters.whole("outputOffset", outputOffset, 0, 0, Long.MAX_VALUE),
                    Parameters.whole("errorOffset", errorOffset, 0, 0, Long.MAX_VALUE));
        }
        ExecutionId execution = Requests.execution(id);
        if (store.extent(caller.tenant(), execution).isEmpty()) {
            throw Requests.noExecution(id);
        }
        if (from.ended()) {
            // A browser that has heard the end asks again unless it is told so.
            response.resume(Response.noContent().build());
        } else {
            streams.answer(request, caller, response, feed(caller, execution, from));
        }
    }

    /**
     * Answers a submission with all that happens to it.
     *
     * @param cancelOnClose whether it is to be cancelled when the client leaves before it has ended
     */
    void follow(
            Caller caller,
            AsyncContext context,
            Supplier<CompletionStage<Receipt>> submission,
            boolean cancelOnClose,
            AsyncResponse response) {
        // Before it is known what became of it: nothing is to be accepted that cannot be answered as asked.
        Streams.Ticket ticket = streams.take(caller);
        Line line = Line.of(context);
        accepted(submission, ticket)
                .thenAccept(receipt -> {
                    if (!(receipt instanceof Receipt.Accepted accepted)) {
                        throw new ProblemException(ReceiptProblems.of(receipt));
                    }
                    HttpServletResponse answer = (HttpServletResponse) context.getResponse();
                    answer.setHeader("Location", "/api/v1/executions/" + accepted.id());
                    if (accepted.replayed()) {
                        answer.setHeader("Idempotent-Replayed", "true");
                    }
                    streams.open(line, ticket, feed(caller, accepted.id(), Position.from(0, 0, 0)), () -> {
                        if (cancelOnClose) {
                            canceller.cancel(caller.tenant(), accepted.id());
                        }
                    });
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        ticket.giveBack();
                    }
                    ExecutionAnswers.fail(response).accept(done, failure);
                });
    }

    private static CompletionStage<Receipt> accepted(
            Supplier<CompletionStage<Receipt>> submission, Streams.Ticket ticket) {
        try {
            return submission.get();
        } catch (RuntimeException e) {
            ticket.giveBack();
            throw e;
        }
    }

    private ExecutionFeed feed(Caller caller, ExecutionId execution, Position from) {
        return new ExecutionFeed(store, journal, nested, waiting, hidden, caller.tenant(), execution, from);
    }
}
