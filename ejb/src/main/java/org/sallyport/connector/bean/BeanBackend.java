package org.sallyport.connector.bean;

import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.bean.RawJson;
import org.sallyport.bean.ToolException;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.connector.BackendConnection;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Calls the methods of a bean; each call occupies a thread until the method returns. Thread-safe. */
final class BeanBackend implements BackendConnection {
    private static final long RETRY_DELAY_MILLIS = 1_000;

    private final BeanTools tools;
    private final ConnectionListener listener;
    private final ExecutorService executor;
    private final Map<CallId, BeanCall> openCalls = new ConcurrentHashMap<>();
    private volatile boolean closed;

    BeanBackend(BeanTools tools, ConnectionListener listener, ExecutorService executor) {
        this.tools = tools;
        this.listener = listener;
        this.executor = executor;
    }

    @Override
    public void start() {
        executor.execute(this::declareTools);
    }

    private void declareTools() {
        if (closed) {
            return;
        }
        try {
            listener.onToolsDeclared(tools.definitions());
            listener.onStateChanged(BackendState.READY, Optional.empty());
        } catch (RuntimeException e) {
            listener.onStateChanged(
                    BackendState.DOWN, Optional.of("its tools could not be stored; the node tries again"));
            CompletableFuture.delayedExecutor(RETRY_DELAY_MILLIS, TimeUnit.MILLISECONDS, executor)
                    .execute(this::declareTools);
        }
    }

    @Override
    public CompletionStage<ToolResult> call(BackendRequest call) {
        Optional<BeanTool> tool = tools.find(call.tool());
        if (tool.isEmpty()) {
            return CompletableFuture.completedFuture(
                    failure(call, ToolErrorCode.TOOL_NOT_FOUND, "is not offered by this backend"));
        }
        BeanCall one = new BeanCall(call);
        openCalls.put(call.id(), one);
        one.result().whenComplete((done, failure) -> openCalls.remove(call.id(), one));
        if (closed) {
            // The closing thread may have read the open calls before this call was added.
            one.failOnClose();
            one.completeResult();
        } else {
            executor.execute(() -> run(tool.get(), one));
        }
        return one.result();
    }

    private void failOnClose(BeanCall one) {
        boolean ends = one.failOnClose();
        one.completeResult();
        if (ends) {
            executor.execute(one::stop);
        }
    }

    private void run(BeanTool tool, BeanCall one) {
        if (!one.attachThread()) {
            return;
        }
        try {
            @Nullable Object[] parameters = tool.parameters(one.call().arguments(), one);
            Object returned = tool.call(tools.instance(), parameters);
            if (returned instanceof CompletionStage<?> stage) {
                one.onCancel(() -> stage.toCompletableFuture().cancel(true));
                stage.whenComplete((value, failure) -> complete(tool, one, value, failure));
            } else {
                complete(tool, one, returned, null);
            }
        } catch (BeanMappingException e) {
            one.result()
                    .complete(failure(
                            one.call(),
                            ToolErrorCode.INVALID_ARGUMENTS,
                            "cannot be called with these arguments: " + e.getMessage()));
        } catch (Throwable e) {
            complete(tool, one, null, e);
        } finally {
            one.detachThread();
        }
    }

    private void complete(BeanTool tool, BeanCall one, @Nullable Object value, @Nullable Throwable failure) {
        if (one.result().isDone()) {
            // The call was stopped and answered already.
            return;
        }
        if (failure != null) {
            one.result().complete(toFailure(one, failure));
            return;
        }
        try {
            one.result().complete(ToolResult.success(tool.result(value)));
        } catch (RuntimeException e) {
            one.result().complete(toFailure(one, e));
        }
    }

    private ToolResult toFailure(BeanCall one, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ToolException said) {
            return new ToolResult.ToolFailure(new ToolError(
                    toCode(said.reason()),
                    String.valueOf(said.getMessage()),
                    said.details().flatMap(BeanBackend::validJson)));
        }
        // The exception may reveal internals of the service: it is logged, and not shown to the script.
        BackendRequest call = one.call();
        System.getLogger(BeanBackend.class.getName())
                .log(Level.WARNING, "call " + call.id() + " of the tool '" + call.tool() + "' failed", cause);
        return failure(call, ToolErrorCode.TOOL_FAILED, "failed unexpectedly");
    }

    private static ToolErrorCode toCode(ToolException.FailureReason reason) {
        return switch (reason) {
            case FAILED -> ToolErrorCode.TOOL_FAILED;
            case INVALID_ARGUMENTS -> ToolErrorCode.INVALID_ARGUMENTS;
            case UNAVAILABLE -> ToolErrorCode.BACKEND_UNAVAILABLE;
            case OUTCOME_UNKNOWN -> ToolErrorCode.OUTCOME_UNKNOWN;
        };
    }

    /** Invalid details must not hide the failure: its code determines whether the call may be repeated. */
    private static Optional<Json> validJson(RawJson details) {
        try {
            return Optional.of(ExactJsonReader.validate(details));
        } catch (BeanMappingException e) {
            return Optional.empty();
        }
    }

    private static ToolResult failure(BackendRequest call, ToolErrorCode code, String what) {
        return ToolResult.failure(code, "'" + call.tool() + "' " + what);
    }

    @Override
    public void cancel(CallId call) {
        var unused = withdraw(call);
    }

    @Override
    public CompletionStage<Boolean> withdraw(CallId call) {
        BeanCall one = openCalls.get(call);
        if (one == null || !one.cancel()) {
            return CompletableFuture.completedStage(false);
        }
        boolean notBegun = !one.isStarted();
        executor.execute(one::stop);
        return CompletableFuture.completedStage(notBegun);
    }

    @Override
    public Optional<String> lastProgress(CallId call) {
        return Optional.ofNullable(openCalls.get(call)).flatMap(BeanCall::progress);
    }

    @Override
    public void close() {
        closed = true;
        openCalls.values().forEach(this::failOnClose);
    }
}
