package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sallyport.auth.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.async.RetryingTask;
import org.sallyport.web.audit.AuditRecorder;

/**
 * Starts executions for agents and waits for them without a thread. An execution continues when the client disconnects,
 * and is cancelled when the client cancels the request. Once an execution is accepted, the response contains its id
 * even if the database fails. Thread-safe.
 */
@Dependent
public class McpExecutions {
    static final String WAIT_ARGUMENT = "waitSeconds";
    static final String IDEMPOTENCY_KEY_ARGUMENT = "idempotencyKey";
    static final String INCLUDE_TRACE_ARGUMENT = "includeTrace";
    static final long DEFAULT_WAIT_SECONDS = 30;
    static final int MAX_KEY_LENGTH = 255;
    /** Characters of a trace in one answer. The rest is in the REST API. */
    private static final long MAX_TRACE_CHARS = 50_000;

    private final ExecutionFacade facade;
    private final ProgressReporters reporters;
    private final RetryingTask retryingTask;
    private final AuditRecorder auditRecorder;
    private final RequestMemory memory;

    @Inject
    public McpExecutions(
            ExecutionFacade calls,
            ProgressReporters watches,
            RetryingTask insistence,
            AuditRecorder deeds,
            RequestMemory memory) {
        this.facade = calls;
        this.reporters = watches;
        this.retryingTask = insistence;
        this.auditRecorder = deeds;
        this.memory = memory;
    }

    /** Submits the arguments of a tool as the body of a request, with an idempotency key. */
    interface ExecutionSubmitter {
        CompletionStage<ExecutionId> submit(Caller caller, ObjectNode body, Optional<String> idempotencyKey);
    }

    /** Submits the body without the option that {@link #outcome} reads. */
    static ExecutionSubmitter withTraceOption(ExecutionSubmitter acceptance) {
        return (caller, body, key) -> {
            new JsonMembers(body).flag(INCLUDE_TRACE_ARGUMENT); // Refuses any other value.
            body.remove(INCLUDE_TRACE_ARGUMENT);
            return acceptance.submit(caller, body, key);
        };
    }

    /**
     * The time that the arguments allow for a wait, in milliseconds.
     *
     * @param defaultSeconds the time if the arguments name none
     * @throws ProblemException if the time is out of bounds
     */
    long waitMillis(JsonMembers arguments, long defaultSeconds) {
        long maxSeconds = facade.maxWaitSeconds();
        return 1_000 * longInRange(arguments, WAIT_ARGUMENT, Math.min(defaultSeconds, maxSeconds), 0, maxSeconds);
    }

    /**
     * The value of a member, or {@code otherwise} if it is absent.
     *
     * @throws ProblemException if the value is out of bounds
     */
    static long longInRange(JsonMembers arguments, String name, long otherwise, long least, long max) {
        long value = arguments.longValue(name).orElse(otherwise);
        if (value < least || value > max) {
            throw arguments.invalidMember(name, "must be from " + least + " to " + max);
        }
        return value;
    }

    /**
     * Submits an execution as the arguments describe it: the members of the REST body and a few that only MCP has. The
     * memory of the request is held until the execution is stored or refused.
     */
    CompletionStage<ExecutionId> submit(ToolCallContext dialog, ExecutionSubmitter acceptance) {
        ObjectNode body = dialog.takeArguments(INCLUDE_TRACE_ARGUMENT);
        Optional<String> key = new JsonMembers(body).text(IDEMPOTENCY_KEY_ARGUMENT, MAX_KEY_LENGTH);
        body.remove(List.of(WAIT_ARGUMENT, IDEMPOTENCY_KEY_ARGUMENT));
        return memory.holdUntilDone(() -> acceptance.submit(dialog.caller(), body, key));
    }

    /**
     * Submits an execution and waits for it, up to the time that the arguments give.
     *
     * @throws ProblemException if that time is out of bounds
     */
    CompletionStage<ToolOutcome> run(
            ToolCallContext dialog, ExecutionSubmitter acceptance, Function<ExecutionId, ToolOutcome> shown) {
        long millis = waitMillis(new JsonMembers(dialog.arguments()), DEFAULT_WAIT_SECONDS);
        Caller caller = dialog.caller();
        return submit(dialog, acceptance).thenCompose(id -> {
            dialog.onCancel(
                    () -> retryingTask.runWithRetries("cancel execution " + id, () -> cancel(dialog, id), () -> {}));
            dialog.sendProgress(
                    "execution " + id + " is stored and will run", Map.of(ProgressMeta.EXECUTION, id.toString()));
            return followAttempts(dialog, id, millis).thenApply(last -> outcomeOrIdOnly(last, () -> shown.apply(last)));
        });
    }

    /** Follows an execution and the attempts after it. Returns the last attempt that has begun to wait or to run. */
    private CompletionStage<ExecutionId> followAttempts(ToolCallContext dialog, ExecutionId id, long millis) {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        return reporters.followIfPossible(dialog, id, millis).thenCompose(nothing -> {
            Optional<ExecutionId> next = nextAttempt(dialog.caller(), id);
            if (next.isEmpty()) {
                return CompletableFuture.completedFuture(id);
            }
            dialog.sendProgress(
                    "execution " + id + " failed; execution " + next.get() + " is the next attempt",
                    Map.of(ProgressMeta.EXECUTION, next.get().toString()));
            long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
            return followAttempts(dialog, next.get(), Math.max(0, left));
        });
    }

    private Optional<ExecutionId> nextAttempt(Caller caller, ExecutionId id) {
        try {
            return facade.nextAttempt(caller, id);
        } catch (RuntimeException e) {
            // The answer then has the id of this attempt, which names the next one.
            System.getLogger(McpExecutions.class.getName())
                    .log(System.Logger.Level.DEBUG, "the next attempt of execution " + id + " is unknown", e);
            return Optional.empty();
        }
    }

    /** The outcome of an execution; only its id and a note if the store is unavailable. */
    static ToolOutcome outcomeOrIdOnly(ExecutionId id, Supplier<ToolOutcome> shown) {
        return ToolOutcome.ofAccepted("execution", id.toString(), "execution_status", shown);
    }

    /** The execution as agents see it, with its trace if the arguments ask for it. */
    ToolOutcome outcome(ToolCallContext dialog, ExecutionId id) {
        ObjectNode shown = show(dialog, id, 0, 0);
        return new ToolOutcome(shown, ExecutionView.isFailed(shown));
    }

    /** The execution as agents see it, with its output after the offsets, and with its trace if asked. */
    ObjectNode show(ToolCallContext dialog, ExecutionId id, long outputOffset, long errorOffset) {
        Caller caller = dialog.caller();
        boolean withTrace =
                new JsonMembers(dialog.arguments()).flag(INCLUDE_TRACE_ARGUMENT).orElse(false);
        ObjectNode shown = ExecutionView.execution(
                withTrace
                        ? facade.showWithTrace(
                                caller, id, outputOffset, errorOffset, ExecutionView.READ_OUTPUT_CHARS, MAX_TRACE_CHARS)
                        : facade.show(caller, id, outputOffset, errorOffset, ExecutionView.READ_OUTPUT_CHARS));
        reporters.addPendingApprovals(caller, id, shown);
        return shown;
    }

    private void cancel(ToolCallContext dialog, ExecutionId id) {
        ExecutionId attempt = facade.findLastAttempt(dialog.caller(), id);
        try {
            auditRecorder.auditMcpAction(
                    dialog.caller(),
                    dialog.address(),
                    "execution.cancel",
                    attempt.toString(),
                    () -> facade.cancel(dialog.caller(), attempt, ToolCallContext.CLIENT_CANCELLED));
        } catch (ProblemException e) {
            // The execution has just ended.
            System.getLogger(McpExecutions.class.getName()).log(System.Logger.Level.DEBUG, "cancelling " + id, e);
        }
    }
}
