package org.sallyport.submission;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NestedExecutionStore.NestResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Runs a script's call of a capability as a nested execution and returns its result. Each call has exactly one nested
 * execution, even after a crash: a repeated call with the same id waits for the same execution. A waiting call costs a
 * map entry and no thread. Thread-safe.
 */
public final class NestedExecutionService implements ToolBridge {
    private static final System.Logger LOG = System.getLogger(NestedExecutionService.class.getName());
    /** The end of an execution is broadcast; polling only covers lost broadcasts. */
    private static final long POLL_MILLIS = 30_000;

    private static final long RETRY_MILLIS = 500;
    private static final int BATCH_SIZE = 200;

    private static final ToolResult OUTCOME_UNKNOWN = ToolResult.failure(
            ToolErrorCode.OUTCOME_UNKNOWN,
            "the database did not confirm that the nested execution is stored; it may run nevertheless");

    private final NestedExecutionStore nested;
    private final ExecutionStore store;
    private final NestedExecutionFactory executionFactory;
    private final JobDispatcher dispatch;
    private final CompletionWaiter completionWaiter;
    private final ExecutionCanceller canceller;
    private final Map<CallId, NestedCall> openCalls = new ConcurrentHashMap<>();

    /** Cancels an execution of a tenant on any node. */
    @FunctionalInterface
    public interface ExecutionCanceller {
        void cancel(String tenant, ExecutionId id);
    }

    /**
     * A call without a reply. Without its arguments, which are stored with its execution.
     *
     * @param argumentsStored runs when the nested execution is stored
     */
    private record NestedCall(CallId id, String tenant, Runnable argumentsStored, CompletableFuture<ToolReply> reply) {
        boolean isDone() {
            return reply.isDone();
        }
    }

    /** @param submission makes executions of calls */
    public NestedExecutionService(
            NestedExecutionStore nested,
            ExecutionStore store,
            NestedExecutionFactory submission,
            JobDispatcher dispatch,
            CompletionWaiter waiting,
            ExecutionCanceller cancel) {
        this.nested = nested;
        this.store = store;
        this.executionFactory = submission;
        this.dispatch = dispatch;
        this.completionWaiter = waiting;
        this.canceller = cancel;
    }

    /** Ignores the deadline of the call: the end of the calling execution ends the call and the nested execution. */
    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        return send(call, () -> {});
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call, Runnable argumentsStored) {
        NestedCall mine = new NestedCall(call.id(), call.tenant(), argumentsStored, new CompletableFuture<>());
        openCalls.put(call.id(), mine);
        completionWaiter.executor().execute(() -> start(mine, call));
        return mine.reply();
    }

    private void start(NestedCall mine, ToolCall call) {
        if (mine.isDone()) {
            return;
        }
        try {
            Optional<ExecutionId> earlier = nested.findChild(mine.id());
            if (earlier.isPresent()) {
                onStored(mine, earlier.get());
            } else {
                nest(mine, call);
            }
        } catch (StoreUnavailableException e) {
            completionWaiter.delay(RETRY_MILLIS).thenRun(() -> start(mine, call));
        } catch (RuntimeException e) {
            fail(mine, e, false);
        }
    }

    private void nest(NestedCall mine, ToolCall call) {
        NestedExecutionFactory.NestedExecutionResult result = executionFactory.create(call);
        if (result instanceof NestedExecutionFactory.NestedExecutionResult.NestingRefused refused) {
            refuse(mine, new ToolResult.ToolFailure(refused.error()), false);
        } else if (result instanceof NestedExecutionFactory.NestedExecutionResult.NestedChild child) {
            insert(mine, child, false);
        }
    }

    /**
     * Inserts the execution of a call, and repeats that while the store does not answer. Always inserts the same one:
     * an insert without an answer may be committed later than its repetition. The arguments of the call stay in memory
     * until the store answers.
     *
     * @param maybeStored whether an earlier insert may be stored
     */
    private void insert(
            NestedCall mine, NestedExecutionFactory.NestedExecutionResult.NestedChild child, boolean maybeStored) {
        if (mine.isDone()) {
            if (maybeStored) {
                cancel(mine); // the insert may have been committed after the call was cancelled
            }
            return;
        }
        try {
            NestResult result = nested.insertNested(child.execution(), child.nesting(), executionFactory.maxNested());
            onInserted(mine, child.execution(), result, maybeStored);
        } catch (StoreUnavailableException e) {
            boolean unknown = maybeStored || e.maybeStored();
            completionWaiter.delay(RETRY_MILLIS).thenRun(() -> insert(mine, child, unknown));
        } catch (RuntimeException e) {
            fail(mine, e, maybeStored);
        }
    }

    private void onInserted(NestedCall mine, NewExecution child, NestResult result, boolean maybeStored) {
        if (result instanceof NestResult.NestedExecutionStored stored) {
            Failpoint.NESTED.reached(stored.id());
            dispatch.enqueue(new ExecutionJob(stored.id(), child.tenant(), child.priority(), 0));
            onStored(mine, stored.id());
        } else if (result instanceof NestResult.NestedExecutionExists there) {
            onStored(mine, there.id());
        } else if (result instanceof NestResult.ParentEnded) {
            refuse(mine, ToolResult.failure(ToolErrorCode.CANCELLED, "the calling execution has ended"), maybeStored);
        } else {
            refuse(
                    mine,
                    ToolResult.failure(
                            ToolErrorCode.CALL_LIMIT,
                            executionFactory.maxNested() + " executions are already nested below one (setting"
                                    + " sallyport.limits.max-nested-executions)"),
                    maybeStored);
        }
    }

    private void onStored(NestedCall mine, ExecutionId child) {
        mine.argumentsStored().run();
        awaitEnd(mine, child);
    }

    /** Cancels the nested execution when the call no longer waits for its end. */
    private void awaitEnd(NestedCall mine, ExecutionId child) {
        if (mine.isDone()) {
            canceller.cancel(mine.tenant(), child);
            return;
        }
        completionWaiter.awaitEnd(child, POLL_MILLIS).thenRun(() -> checkEnd(mine, child));
    }

    private void checkEnd(NestedCall mine, ExecutionId child) {
        if (mine.isDone()) {
            return;
        }
        try {
            Optional<Execution> now = store.find(mine.tenant(), child);
            if (now.isEmpty()) {
                answer(mine, ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the nested execution no longer exists"));
            } else if (now.get().state().isTerminal()) {
                answer(mine, NestedResultMapper.toToolResult(now.get()));
            } else {
                awaitEnd(mine, child);
            }
        } catch (StoreUnavailableException e) {
            completionWaiter.delay(RETRY_MILLIS).thenRun(() -> checkEnd(mine, child));
        }
    }

    private void answer(NestedCall mine, ToolResult result) {
        openCalls.remove(mine.id(), mine);
        mine.reply().complete(ToolReply.local(result));
    }

    /**
     * Answers a call that has no nested execution.
     *
     * @param maybeStored whether it may have one after all, because an insert was not answered
     */
    private void refuse(NestedCall mine, ToolResult result, boolean maybeStored) {
        if (maybeStored) {
            answer(mine, OUTCOME_UNKNOWN);
        } else {
            openCalls.remove(mine.id(), mine);
            mine.reply().complete(ToolReply.notSent(result));
        }
    }

    private void fail(NestedCall mine, RuntimeException failure, boolean maybeStored) {
        LOG.log(System.Logger.Level.ERROR, "the nested call " + mine.id() + " failed", failure);
        answer(
                mine,
                maybeStored
                        ? OUTCOME_UNKNOWN
                        : ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the capability could not be run"));
    }

    @Override
    public void cancel(CallId id) {
        NestedCall mine = openCalls.remove(id);
        if (mine != null) {
            mine.reply()
                    .complete(ToolReply.local(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled")));
            completionWaiter.executor().execute(() -> cancel(mine));
        }
    }

    private void cancel(NestedCall mine) {
        try {
            nested.findChild(mine.id()).ifPresent(child -> canceller.cancel(mine.tenant(), child));
        } catch (StoreUnavailableException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the nested execution of call {0} could not be cancelled; the next poll does: {1}",
                    mine.id(),
                    e.getMessage());
        }
    }

    /** Cancels nested executions whose calling execution has ended. Handles a bounded number per call; idempotent. */
    public void cancelAbandoned() {
        try {
            nested.findAbandoned(BATCH_SIZE).forEach(each -> canceller.cancel(each.tenant(), each.id()));
        } catch (StoreUnavailableException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "abandoned nested executions could not be read; the next poll cancels them: {0}",
                    e.getMessage());
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "abandoned nested executions could not be cancelled; the next poll tries again",
                    e);
        }
    }
}
