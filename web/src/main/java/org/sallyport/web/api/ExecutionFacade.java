package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.runner.CancellationService;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.SubmissionService;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * What callers do with executions, whichever door they came by. What is not to be is a {@link ApiProblemException}, thrown or as the
 * failure of the stage. Thread-safe.
 */
@ApplicationScoped
public class ExecutionFacade {
    private final InstantSource clock = InstantSource.system();

    @Inject
    SubmissionService submissions;

    @Inject
    ExecutionStore store;

    @Inject
    CancellationService canceller;

    @Inject
    ExecutionResponder responder;

    @Inject
    Configuration configuration;

    /**
     * Accepts what {@code body} describes, as the body of {@code POST /executions} does.
     *
     * @param idempotencyKey the caller's key against double submission
     */
    public CompletionStage<ExecutionId> submit(Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        Optional<IdempotencyKey> idempotency = RequestParameters.idempotencyKey(idempotencyKey.orElse(null))
                .map(key -> new IdempotencyKey(key, StrictJsonReader.sha256(body.toString())));
        return submissions
                .submit(caller, SubmissionReader.read(new JsonMembers(body), idempotency))
                .thenApply(receipt -> {
                    if (receipt instanceof SubmissionResult.SubmissionAccepted accepted) {
                        return accepted.id();
                    }
                    throw new ProblemException(SubmissionProblems.toProblem(receipt));
                });
    }

    /** The caller's execution with what its streams hold after the offsets, as {@code GET /executions/{id}} shows it. */
    public ObjectNode show(Caller caller, ExecutionId id, long outputOffset, long errorOffset) {
        return responder.represent(responder.find(caller, id), outputOffset, errorOffset);
    }

    /** The id that {@code text} is; what is none names nothing. */
    public static ExecutionId parseId(String text) {
        return RequestContexts.executionId(text);
    }

    /** Cancels it, and shows it. */
    public ObjectNode cancel(Caller caller, ExecutionId id) {
        CancelResult cancellation = canceller.cancel(caller.tenant(), id);
        if (cancellation instanceof CancelResult.CancelTargetNotFound) {
            throw RequestContexts.executionNotFound(id.toString());
        } else if (cancellation instanceof CancelResult.AlreadyTerminal ended) {
            throw new ProblemException(Problem.of(
                    ProblemType.ALREADY_TERMINAL,
                    "the execution has already ended as " + ended.state(),
                    members -> members.put("state", ended.state().name())));
        }
        return show(caller, id, 0, 0);
    }

    /**
     * One page, newest first.
     *
     * @param parameters those of {@code GET /executions}, by their names
     */
    public ObjectNode list(Caller caller, MultivaluedMap<String, String> parameters) {
        ExecutionListQuery query = ExecutionListQuery.of(parameters, clock.instant());
        ExecutionPage page = store.list(caller.tenant(), query.filter(), query.beforeId(), query.limit());
        return ExecutionMapper.list(
                page.items().stream().map(ExecutionMapper::summary).toList(),
                page.next().map(last -> Cursor.encode(last, query.fingerprint())));
    }

    /**
     * One page, newest first.
     *
     * @param states names of states, all when empty
     * @param limit at most so many, as text
     * @param cursor where the page before it ended
     */
    public ObjectNode list(Caller caller, List<String> states, String limit, String cursor) {
        return list(caller, ExecutionListQuery.byState(states, limit, cursor));
    }

    /** For how long one request may wait. */
    public long maxWaitSeconds() {
        return configuration.get(LimitSettings.MAX_WAIT).toSeconds();
    }
}
