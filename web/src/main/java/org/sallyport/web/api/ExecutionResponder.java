package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.sallyport.auth.Caller;
import org.sallyport.callback.CallbackStore;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.web.ProblemException;
import org.sallyport.web.async.AsyncResponses;
import org.sallyport.web.async.LongPolls;

/** Answers requests with an execution, immediately or after it has ended. */
@ApplicationScoped
public class ExecutionResponder {
    /** Maximum characters of a stream in one response. */
    static final int MAX_OUTPUT_CHARS = 1_000_000;

    /** Maximum pieces of output in one response. */
    static final int MAX_OUTPUT_PIECES = 10_000;

    private static final int BYTES_PER_CHAR = 2;

    /** Error codes of calls that were valid when the capability was published. */
    private static final Set<String> CONTRACT_ERROR_CODES = Set.of(
            ToolErrorCode.INVALID_ARGUMENTS.code(),
            ToolErrorCode.TOOL_NOT_FOUND.code(),
            ToolErrorCode.TOOL_QUARANTINED.code(),
            ToolErrorCode.TOOL_UNUSABLE.code());

    @Inject
    ExecutionStore store;

    @Inject
    CompletionWaiter waiter;

    @Inject
    LongPolls longPolls;

    @Inject
    CallbackStore callbacks;

    @Inject
    CapabilityContractChecker contracts;

    @Inject
    TraceReader traces;

    @Inject
    RedactionProvider redactions;

    @Inject
    AsyncResponses responses;

    /** Like {@link #respond(Caller, SubmissionResult, Optional, boolean, AsyncResponse)}, without a trace. */
    void respond(Caller caller, SubmissionResult receipt, Optional<Long> wait, AsyncResponse response) {
        respond(caller, receipt, wait, false, response);
    }

    /**
     * Answers a submission, after the wait that the client prefers.
     *
     * @param withTrace whether the answer has the first page of the trace
     * @throws ProblemException if the submission was refused, or its outcome is unknown
     */
    void respond(
            Caller caller, SubmissionResult receipt, Optional<Long> wait, boolean withTrace, AsyncResponse response) {
        if (!(receipt instanceof SubmissionResult.SubmissionAccepted accepted)) {
            throw new ProblemException(SubmissionProblems.toProblem(receipt));
        }
        try {
            respondToAccepted(caller, accepted, wait, withTrace, response);
        } catch (StoreUnavailableException e) {
            throw storedButUnreadable(accepted.id());
        }
    }

    private void respondToAccepted(
            Caller caller,
            SubmissionResult.SubmissionAccepted accepted,
            Optional<Long> wait,
            boolean withTrace,
            AsyncResponse response) {
        if (wait.isEmpty()) {
            response.resume(
                    acceptedResponse(accepted, find(caller, accepted.id()), Response.Status.ACCEPTED, withTrace));
            return;
        }
        // Only a replayed submission may have ended long ago. A new execution that has already ended makes the wait end
        // at once.
        boolean ended =
                accepted.replayed() && find(caller, accepted.id()).state().isTerminal();
        long start = System.nanoTime();
        long deadline = start + TimeUnit.SECONDS.toNanos(wait.get());
        longPolls
                .tryStart(caller, () -> waitForLastAttempt(caller, accepted.id(), ended, deadline))
                .orElseGet(() -> waitForLastAttempt(caller, accepted.id(), ended, start))
                .thenAccept(found -> response.resume(acceptedResponse(
                        accepted,
                        found,
                        found.state().isTerminal() ? Response.Status.OK : Response.Status.ACCEPTED,
                        withTrace)))
                .whenComplete((done, failure) -> resumeOnFailure(response)
                        .accept(done, failure == null ? null : toStoredButUnreadable(failure, accepted.id())));
    }

    private static ProblemException storedButUnreadable(ExecutionId id) {
        return new ProblemException(OutcomeProblems.stored(id));
    }

    private static Throwable toStoredButUnreadable(Throwable failure, ExecutionId id) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof StoreUnavailableException ? storedButUnreadable(id) : cause;
    }

    private Response acceptedResponse(
            SubmissionResult.SubmissionAccepted accepted, Execution now, Response.Status status, boolean withTrace) {
        Response.ResponseBuilder response = Response.status(status)
                .location(URI.create("/api/v1/executions/" + now.id()))
                .entity(represent(now, 0, 0, withTrace));
        if (accepted.replayed()) {
            response.header("Idempotent-Replayed", "true");
        }
        return response.build();
    }

    /** Waits until the execution has ended or the time is over; returns its latest state. */
    CompletionStage<Execution> waitFor(Caller caller, ExecutionId id, long millis) {
        return waiter.awaitEnd(id, millis).thenApply(nothing -> find(caller, id));
    }

    /**
     * Waits until the execution has ended, or if it has failed and is run again, the last attempt after it; returns the
     * latest state of the attempt that the wait has reached.
     *
     * @param ended whether the execution is known to have ended, so that only later attempts are waited for
     * @param deadlineNanos until when to wait, by {@link System#nanoTime}
     */
    private CompletionStage<Execution> waitForLastAttempt(
            Caller caller, ExecutionId id, boolean ended, long deadlineNanos) {
        long left = ended ? 0 : Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
        return waitFor(caller, id, left).thenCompose(found -> {
            // The execution of the next attempt may have been erased.
            Optional<Execution> next = found.nextAttempt().flatMap(other -> store.find(caller.tenant(), other));
            return next.map(other ->
                            waitForLastAttempt(caller, other.id(), other.state().isTerminal(), deadlineNanos))
                    .orElseGet(() -> CompletableFuture.completedFuture(found));
        });
    }

    /** Returns the last attempt of an execution that was run again, otherwise the execution; empty if there is none. */
    Optional<Execution> findLastAttempt(String tenant, ExecutionId id) {
        Optional<Execution> last = Optional.empty();
        Optional<Execution> next = store.find(tenant, id);
        while (next.isPresent()) {
            last = next;
            next = next.get().nextAttempt().flatMap(other -> store.find(tenant, other));
        }
        return last;
    }

    /**
     * Same as {@link #waitFor}, for a client that prefers to wait: returns at once if the limit of long polls is
     * reached.
     */
    CompletionStage<Execution> waitIfPossible(Caller caller, ExecutionId id, long millis) {
        return longPolls.tryStart(caller, () -> waitFor(caller, id, millis)).orElseGet(() -> waitFor(caller, id, 0));
    }

    /**
     * Same as {@link #waitFor}, counted as a long poll.
     *
     * @throws ProblemException if the limit of long polls is reached
     */
    CompletionStage<Execution> waitWithinLimit(Caller caller, ExecutionId id, long millis) {
        return millis == 0 ? waitFor(caller, id, 0) : longPolls.start(caller, () -> waitFor(caller, id, millis));
    }

    /** Like {@link #represent(Execution, long, long)}, with the first page of the trace if {@code withTrace}. */
    ObjectNode represent(Execution execution, long outputOffset, long errorOffset, boolean withTrace) {
        ObjectNode json = represent(execution, outputOffset, errorOffset);
        if (withTrace) {
            json.set("trace", traces.readTrace(execution, 0, TraceReader.MAX_EVENTS));
        }
        return json;
    }

    /** Maps an execution with its output after the offsets. */
    ObjectNode represent(Execution execution, long outputOffset, long errorOffset) {
        return represent(execution, outputOffset, errorOffset, MAX_OUTPUT_CHARS);
    }

    /** Maps an execution with its output after the offsets, at most {@code maxChars} characters of each stream. */
    ObjectNode represent(Execution execution, long outputOffset, long errorOffset, int maxChars) {
        ExecutionMapper.ExecutionOutput output = output(execution, outputOffset, errorOffset, maxChars);
        OptionalLong position = execution.state() == ExecutionState.PENDING
                ? store.queuePosition(execution.summary().tenant(), execution.id())
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty())
                : OptionalLong.empty();
        ObjectNode json = ExecutionMapper.execution(execution, output, position);
        if (execution.summary().parent().isPresent()) {
            // A script wrote them, so they may contain the values of its secret variables.
            TraceRedactor shown =
                    new TraceRedactor(redactions.redactorFor(execution.summary().tenant()));
            json.set("args", ExecutionMapper.raw(shown.redact(execution.args())));
        }
        if (execution.callback().isPresent()) {
            callbacks
                    .find(execution.summary().tenant(), callbackHolder(execution))
                    .ifPresent(callback -> json.set("callback", CallbackMapper.callback(callback)));
        }
        if (json.path("error") instanceof ObjectNode error) {
            breachIfKnown(execution).ifPresent(breach -> error.set("contract", CapabilityMapper.breach(breach)));
        }
        return json;
    }

    /** The callback of an execution belongs to its last attempt. */
    private ExecutionId callbackHolder(Execution execution) {
        return execution.nextAttempt().isEmpty()
                ? execution.id()
                : findLastAttempt(execution.summary().tenant(), execution.id())
                        .map(Execution::id)
                        .orElse(execution.id());
    }

    /**
     * The contract breach of the tool that made a capability fail, if there is one. An error of this check is logged
     * and does not fail the response.
     */
    private Optional<CapabilityContractChecker.ContractBreach> breachIfKnown(Execution execution) {
        try {
            return findBreach(execution);
        } catch (RuntimeException e) {
            System.getLogger(ExecutionResponder.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot check the contract of execution " + execution.id(), e);
            return Optional.empty();
        }
    }

    private Optional<CapabilityContractChecker.ContractBreach> findBreach(Execution execution) {
        Optional<CapabilityRef> capability = execution.summary().capability();
        Optional<String> tool = execution
                .error()
                .filter(error -> CONTRACT_ERROR_CODES.contains(error.code()))
                .flatMap(ExecutionError::tool);
        if (capability.isEmpty() || tool.isEmpty()) {
            return Optional.empty();
        }
        return contracts.findBreach(execution.summary().tenant(), capability.get(), tool.get());
    }

    /** The output of an execution after the offsets, at most {@code maxChars} characters of each stream. */
    ExecutionMapper.ExecutionOutput output(Execution execution, long outputOffset, long errorOffset, int maxChars) {
        return new ExecutionMapper.ExecutionOutput(
                output(execution, OutputKind.OUT, outputOffset, execution.outputLength(), maxChars),
                output(execution, OutputKind.ERR, errorOffset, execution.errorOutputLength(), maxChars));
    }

    /**
     * The output of both streams after the offsets, in the order in which the script wrote it: at most {@code maxChars}
     * characters and {@value #MAX_OUTPUT_PIECES} pieces. Reads no output that was written after the execution was read.
     */
    List<OutputChunk> outputPieces(Execution execution, long outputOffset, long errorOffset, int maxChars) {
        long length = execution.outputLength() + execution.errorOutputLength();
        responses.reserve(BYTES_PER_CHAR * Math.min(maxChars, length));
        return store.readOutputInOrder(execution.id(), outputOffset, errorOffset, maxChars).stream()
                .filter(piece -> piece.sequence() < length)
                .limit(MAX_OUTPUT_PIECES)
                .toList();
    }

    /**
     * Reads no more than the length that the execution had when it was read. Later output belongs to the next response,
     * which reports its length.
     */
    private String output(Execution execution, OutputKind kind, long offset, long length, int maxChars) {
        if (offset >= length || maxChars == 0) {
            return "";
        }
        int chars = (int) Math.min(maxChars, length - offset);
        responses.reserve((long) BYTES_PER_CHAR * chars);
        return store.readOutput(execution.id(), kind, offset, chars);
    }

    /**
     * The caller's execution.
     *
     * @throws ProblemException if there is none with this id
     */
    Execution find(Caller caller, ExecutionId id) {
        return store.find(caller.tenant(), id).orElseThrow(() -> RequestContexts.executionNotFound(id.toString()));
    }

    /** Passes a failure to the client. */
    static BiConsumer<Object, Throwable> resumeOnFailure(AsyncResponse response) {
        return (done, failure) -> {
            if (failure != null) {
                response.resume(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        };
    }
}
