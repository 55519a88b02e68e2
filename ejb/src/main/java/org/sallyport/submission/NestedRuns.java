package org.sallyport.submission;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.NestedRunStore.Answer;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.Waiting;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Carries a script's call of a capability to an execution of its own, and brings its end back. One execution for each call,
 * whatever dies: who calls again under the same id waits for the same one. A waiting call costs a map entry and no thread.
 * Thread-safe.
 */
public final class NestedRuns implements ToolBridge {
    private static final System.Logger LOG = System.getLogger(NestedRuns.class.getName());
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Ends are told; this is for those of which the word was lost. */
    private static final long LOOK_MILLIS = 30_000;

    private static final long AWAY_MILLIS = 500;
    private static final int AT_ONCE = 200;

    private final NestedRunStore nested;
    private final ExecutionStore store;
    private final NestedSubmission submission;
    private final JobDispatch dispatch;
    private final Waiting waiting;
    private final Cancel cancel;
    private final Map<CallId, Open> open = new ConcurrentHashMap<>();

    /** Cancels an execution of a tenant, wherever it runs. */
    @FunctionalInterface
    public interface Cancel {
        void cancel(String tenant, ExecutionId id);
    }

    /** A call without an answer. */
    private record Open(ToolCall call, CompletableFuture<ToolReply> reply) {
        boolean isOver() {
            return reply.isDone();
        }
    }

    /** @param submission makes executions of calls */
    public NestedRuns(
            NestedRunStore nested,
            ExecutionStore store,
            NestedSubmission submission,
            JobDispatch dispatch,
            Waiting waiting,
            Cancel cancel) {
        this.nested = nested;
        this.store = store;
        this.submission = submission;
        this.dispatch = dispatch;
        this.waiting = waiting;
        this.cancel = cancel;
    }

    /** Its deadline is no matter: the caller's own ends both. */
    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        Open mine = new Open(call, new CompletableFuture<>());
        open.put(call.id(), mine);
        waiting.threads().execute(() -> begin(mine));
        return mine.reply();
    }

    private void begin(Open mine) {
        if (mine.isOver()) {
            return;
        }
        try {
            Optional<ExecutionId> earlier = nested.child(mine.call().id());
            if (earlier.isPresent()) {
                follow(mine, earlier.get());
            } else {
                nest(mine);
            }
        } catch (StoreUnavailableException e) {
            waiting.pause(AWAY_MILLIS).thenRun(() -> begin(mine));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the nested call " + mine.call().id() + " failed", e);
            answer(mine, ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the capability could not be run"));
        }
    }

    private void nest(Open mine) {
        NestedSubmission.Made made = submission.of(mine.call());
        if (made instanceof NestedSubmission.Made.Refused refused) {
            answer(mine, new ToolResult.Failure(refused.why()));
        } else if (made instanceof NestedSubmission.Made.Child child) {
            nest(mine, child);
        }
    }

    private void nest(Open mine, NestedSubmission.Made.Child child) {
        Answer answer = nested.nest(child.execution(), child.nesting(), submission.most());
        if (answer instanceof Answer.Stored stored) {
            Failpoint.NESTED.reached(stored.id());
            NewExecution execution = child.execution();
            dispatch.send(new PendingJob(stored.id(), execution.tenant(), execution.priority(), 0));
            follow(mine, stored.id());
        } else if (answer instanceof Answer.IsThere there) {
            follow(mine, there.id());
        } else if (answer instanceof Answer.NoParent) {
            answer(mine, ToolResult.failure(ToolErrorCode.CANCELLED, "the calling execution has ended"));
        } else {
            answer(
                    mine,
                    ToolResult.failure(
                            ToolErrorCode.CALL_LIMIT,
                            submission.most() + " executions are nested below one already (setting"
                                    + " sallyport.limits.nested)"));
        }
    }

    /** Also where nobody waits any more by now: then it is not to run. */
    private void follow(Open mine, ExecutionId child) {
        if (mine.isOver()) {
            cancel.cancel(mine.call().tenant(), child);
            return;
        }
        waiting.until(child, LOOK_MILLIS).thenRun(() -> look(mine, child));
    }

    private void look(Open mine, ExecutionId child) {
        if (mine.isOver()) {
            return;
        }
        try {
            Optional<Execution> now = store.find(mine.call().tenant(), child);
            if (now.isEmpty()) {
                answer(mine, ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the nested execution is gone"));
            } else if (now.get().state().terminal()) {
                answer(mine, result(now.get()));
            } else {
                follow(mine, child);
            }
        } catch (StoreUnavailableException e) {
            waiting.pause(AWAY_MILLIS).thenRun(() -> look(mine, child));
        }
    }

    private void answer(Open mine, ToolResult result) {
        open.remove(mine.call().id(), mine);
        mine.reply().complete(ToolReply.local(result));
    }

    private static ToolResult result(Execution ended) {
        if (ended.result().isPresent()) {
            return ToolResult.success(ended.result().get());
        }
        String name = ended.summary().capability().map(Object::toString).orElse("the capability");
        ObjectNode details = JSON.createObjectNode();
        details.put("execution", ended.id().toString());
        details.put("state", ended.state().name());
        ended.error().ifPresent(error -> details.put("code", error.code()));
        String why = ended.error()
                .map(error -> "failed: " + error.message())
                .orElseGet(() -> "was cancelled (execution " + ended.id() + ")");
        return new ToolResult.Failure(new ToolError(
                ToolErrorCode.CAPABILITY_FAILED, name + " " + why, Optional.of(new Json(details.toString()))));
    }

    @Override
    public void cancel(CallId id) {
        Open mine = open.remove(id);
        if (mine != null) {
            mine.reply()
                    .complete(ToolReply.local(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled")));
            waiting.threads().execute(() -> cancel(mine));
        }
    }

    private void cancel(Open mine) {
        try {
            nested.child(mine.call().id())
                    .ifPresent(child -> cancel.cancel(mine.call().tenant(), child));
        } catch (StoreUnavailableException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "{0} is found by the next look: {1}",
                    mine.call().id(),
                    e.getMessage());
        }
    }

    /** Cancels what lives on although the execution that called it has ended. Bounded; repeating it does no harm. */
    public void look() {
        try {
            nested.abandoned(AT_ONCE).forEach(each -> cancel.cancel(each.tenant(), each.id()));
        } catch (StoreUnavailableException e) {
            LOG.log(System.Logger.Level.DEBUG, "the next look cancels nested executions: {0}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "nested executions could not be looked after", e);
        }
    }
}
