package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.EraseResult;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.runner.CancellationService;
import org.sallyport.submission.Submission;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.SubmissionService;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Application service for executions, shared by REST and MCP. Throws {@link ProblemException}, or fails the stage with
 * it, if a request is refused. Thread-safe.
 */
@ApplicationScoped
public class ExecutionFacade {
    private final InstantSource clock = InstantSource.system();

    @Inject
    SubmissionService submissions;

    @Inject
    ExecutionStore store;

    @Inject
    CollapsedExecutionList collapsedList;

    @Inject
    CancellationService canceller;

    @Inject
    ExecutionResponder responder;

    @Inject
    TraceReader traces;

    @Inject
    Configuration configuration;

    /**
     * Submits the execution that {@code body} describes, in the form of {@code POST /executions}.
     *
     * @param idempotencyKey the caller's idempotency key
     */
    public CompletionStage<ExecutionId> submit(Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        Optional<IdempotencyKey> idempotency = RequestParameters.idempotencyKey(idempotencyKey.orElse(null))
                .map(key -> new IdempotencyKey(key, CanonicalJsonHash.of(body)));
        Optional<Duration> maxAge = CacheOptionsReader.extractMaxAge(body);
        Submission submission = SubmissionReader.readWithSaveAs(new JsonMembers(body), idempotency);
        return submissions
                .submit(
                        caller,
                        submission.withCacheOptions(submission.cacheOptions().withMaxAge(maxAge)))
                .thenApply(receipt -> {
                    if (receipt instanceof SubmissionResult.SubmissionAccepted accepted) {
                        return accepted.id();
                    }
                    throw new ProblemException(SubmissionProblems.toProblem(receipt));
                });
    }

    /**
     * The caller's execution with its output after the offsets, in the form of {@code GET /executions/{id}}.
     *
     * @param maxOutputChars maximum characters of each stream
     */
    public ObjectNode show(Caller caller, ExecutionId id, long outputOffset, long errorOffset, int maxOutputChars) {
        return responder.represent(responder.find(caller, id), outputOffset, errorOffset, maxOutputChars);
    }

    /**
     * Like {@link #show}, with the first page of the trace in the form of {@code GET /executions/{id}/trace}: at most
     * {@code maxTraceChars} characters, but at least one event.
     */
    public ObjectNode showWithTrace(
            Caller caller,
            ExecutionId id,
            long outputOffset,
            long errorOffset,
            int maxOutputChars,
            long maxTraceChars) {
        Execution found = responder.find(caller, id);
        ObjectNode json = responder.represent(found, outputOffset, errorOffset, maxOutputChars);
        json.set("trace", traces.readTrace(found, maxTraceChars));
        return json;
    }

    /**
     * Parses an execution id.
     *
     * @throws ProblemException (not found) if the text is not an id
     */
    public static ExecutionId parseId(String text) {
        return RequestContexts.executionId(text);
    }

    /**
     * The execution of the attempt that follows this execution, which has failed; empty when none does, or when it was
     * erased.
     */
    public Optional<ExecutionId> nextAttempt(Caller caller, ExecutionId id) {
        return store.find(caller.tenant(), id)
                .flatMap(Execution::nextAttempt)
                .flatMap(next -> store.find(caller.tenant(), next))
                .map(Execution::id);
    }

    /** The last attempt of an execution that was run again; otherwise {@code id}, also if there is no execution. */
    public ExecutionId findLastAttempt(Caller caller, ExecutionId id) {
        return responder.findLastAttempt(caller.tenant(), id).map(Execution::id).orElse(id);
    }

    /**
     * Cancels the execution, or the attempt that follows it, and returns the one that was cancelled.
     *
     * @param reason the caller's reason
     */
    public ObjectNode cancel(Caller caller, ExecutionId id, Optional<String> reason) {
        CancellationService.AttemptCancelResult attempt =
                canceller.cancel(caller.tenant(), id, CancelRequest.by(caller.id(), reason));
        CancelResult cancellation = attempt.result();
        if (cancellation instanceof CancelResult.CancelTargetNotFound) {
            throw RequestContexts.executionNotFound(id.toString());
        } else if (cancellation instanceof CancelResult.AlreadyTerminal ended) {
            throw new ProblemException(Problem.of(
                    ProblemType.ALREADY_TERMINAL,
                    "the execution has already ended as " + ended.state(),
                    members -> members.put("state", ended.state().name())));
        }
        return responder.represent(responder.find(caller, attempt.execution()), 0, 0);
    }

    /** Deletes the ended execution, its nested executions and all that they hold. */
    void erase(Caller caller, ExecutionId id) {
        EraseResult result = store.erase(caller.tenant(), id);
        if (result instanceof EraseResult.EraseTargetNotFound) {
            throw RequestContexts.executionNotFound(id.toString());
        } else if (result instanceof EraseResult.EraseBlocked blocked) {
            throw new ProblemException(Problem.of(
                    ProblemType.NOT_TERMINAL,
                    "execution " + blocked.execution() + " is " + blocked.state()
                            + " and needs what would be deleted; cancel it first, or wait for its end",
                    members -> members.put("state", blocked.state().name())
                            .put("execution", blocked.execution().toString())));
        }
    }

    /**
     * Lists one page of executions, newest first.
     *
     * @param parameters the query parameters of {@code GET /executions}
     */
    public ObjectNode list(Caller caller, MultivaluedMap<String, String> parameters) {
        ExecutionListQuery query = ExecutionListQuery.of(parameters, clock.instant());
        if (query.filter().outsideBatches()) {
            return collapsedList.read(caller, query);
        }
        ExecutionPage page = store.list(caller.tenant(), query.filter(), query.beforeId(), query.limit());
        return ExecutionMapper.list(
                page.items().stream().map(ExecutionMapper::summary).toList(),
                page.next().map(last -> Cursor.encode(last, query.fingerprint())));
    }

    /**
     * Lists one page of executions, newest first.
     *
     * @param states names of states; empty for all
     * @param recent maximum time since the end of those that have ended, in ISO 8601; empty for any time
     * @param limit maximum number of executions, as text
     * @param cursor the cursor that the previous page returned
     */
    public ObjectNode list(Caller caller, List<String> states, String recent, String limit, String cursor) {
        return list(caller, ExecutionListQuery.byState(states, recent, limit, cursor));
    }

    /** Maximum seconds that one request may wait. */
    public long maxWaitSeconds() {
        return configuration.get(LimitSettings.MAX_WAIT).toSeconds();
    }
}
