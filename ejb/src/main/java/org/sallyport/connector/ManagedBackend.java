package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.NamedTool;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/**
 * A configured backend with its connection, bulkhead, timeouts and circuit breaker. Its faults do not affect other
 * backends. A tool whose definition changed is quarantined and not called. Thread-safe.
 */
public final class ManagedBackend implements Connector {
    private static final int MAX_PROGRESS_LENGTH = 500;

    private final BackendDefinition definition;
    private final CallSettings settings;
    private final BackendConnection connection;
    private final InstantSource clock;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final CallWithdrawal withdrawal;
    private final Bulkhead bulkhead;
    private final CircuitBreaker breaker;
    private final Map<CallId, BackendCall> openCalls = new ConcurrentHashMap<>();
    private final LongAdder answered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final BackendLatencies latencies;

    private volatile Map<String, PinnedToolDefinition> tools = Map.of();
    private volatile List<NamedTool> namedTools = List.of();
    private volatile List<ToolSpec> specs = List.of();
    /** Why tools cannot be called, by their names. */
    private volatile Map<String, String> unusableTools = Map.of();

    private volatile BackendStatus status;
    private volatile boolean closed;

    ManagedBackend(
            BackendDefinition definition,
            CallSettings settings,
            BackendConnection live,
            InstantSource clock,
            ScheduledExecutorService scheduler,
            Executor executor) {
        this.definition = definition;
        this.settings = settings;
        this.connection = live;
        this.clock = clock;
        this.scheduler = scheduler;
        this.executor = task -> executeOrRun(executor, task);
        this.withdrawal = new CallWithdrawal(live, scheduler);
        this.latencies = new BackendLatencies(clock);
        this.bulkhead = new Bulkhead(settings.maxConcurrent(), settings.maxQueued(), executor);
        this.breaker = new CircuitBreaker(settings.breakerFailureThreshold(), settings.breakerOpenDuration(), clock);
        this.status = new BackendStatus(BackendStatus.BackendState.STARTING, Optional.empty(), clock.instant());
    }

    /** The executor of a node that is stopping rejects tasks. They run at once, because they end calls. */
    private static void executeOrRun(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** The configured definition. */
    public BackendDefinition definition() {
        return definition;
    }

    /** Names of the backends to use while this one is unavailable. */
    List<String> fallbackBackends() {
        return settings.fallback();
    }

    @Override
    public String backendName() {
        return definition.name();
    }

    /** The declared tools, with the effective hints. */
    @Override
    public List<ToolSpec> tools() {
        return specs;
    }

    /** The declared tools, with their names, including tools that are unusable or quarantined. */
    List<NamedTool> namedTools() {
        return namedTools;
    }

    /** Why tools cannot be called because of their declarations, by their names. */
    Map<String, String> unusableTools() {
        return unusableTools;
    }

    /** All known tools, including those that cannot be called. */
    List<PinnedToolDefinition> pinnedTools() {
        return tools.values().stream()
                .sorted(Comparator.comparing(PinnedToolDefinition::name))
                .toList();
    }

    /** Removes the backend's secrets from the tool definitions that its server declared. */
    List<ToolDefinition> redactTools(List<ToolDefinition> declared) {
        return declared.stream()
                .map(tool -> ToolMetadataRedactor.redact(tool, connection.redactor()))
                .toList();
    }

    void tools(List<PinnedToolDefinition> now) {
        tools = now.stream().collect(Collectors.toUnmodifiableMap(PinnedToolDefinition::name, Function.identity()));
        latencies.retainTools(tools.keySet());
        namedTools = now.stream()
                .filter(PinnedToolDefinition::available)
                .map(this::toNamedTool)
                .toList();
        specs = namedTools.stream().map(NamedTool::spec).toList();
        unusableTools = namedTools.stream()
                .filter(tool -> tool.unusable().isPresent())
                .collect(Collectors.toUnmodifiableMap(
                        tool -> tool.spec().name().tool(),
                        tool -> tool.unusable().orElseThrow()));
    }

    /** The tools that the server no longer declares. */
    List<PinnedToolDefinition> retiredTools() {
        return pinnedTools().stream().filter(tool -> !tool.available()).toList();
    }

    /** Sets why tools cannot be called, by their names, as the catalog found when it read their declarations. */
    void unusableTools(Map<String, String> problems) {
        unusableTools = Map.copyOf(problems);
    }

    /** Reports an error that does not change the state. */
    void reportError(String error) {
        updateState(status.state(), Optional.of(error));
    }

    private NamedTool toNamedTool(PinnedToolDefinition tool) {
        ToolDefinition declared = tool.definition();
        return new NamedTool(
                toSpec(tool),
                tool.names().identifier(),
                declared.declaredName(),
                declared.unusable(),
                tool.isQuarantined());
    }

    private ToolSpec toSpec(PinnedToolDefinition tool) {
        ToolHints said = tool.definition().hints();
        ToolHints hints = settings.trustHints() ? said : new ToolHints(false, false, said.destructive());
        return new ToolSpec(
                new ToolName(definition.name(), tool.name()),
                tool.definition().description(),
                tool.definition().inputSchema(),
                tool.definition().outputSchema(),
                hints);
    }

    void updateState(BackendStatus.BackendState state, Optional<String> error) {
        BackendStatus before = status;
        Instant since = before.state() == state ? before.since() : clock.instant();
        status = new BackendStatus(
                state, error.map(connection.redactor()::redact).or(before::lastError), since);
    }

    /** Returns the current state; a ready backend whose breaker is not closed is reported as degraded. */
    public BackendStatus status() {
        BackendStatus now = status;
        CircuitBreakerSnapshot seen = breaker.snapshot();
        return now.state() == BackendStatus.BackendState.READY
                        && seen.state() != CircuitBreakerSnapshot.CircuitBreakerState.CLOSED
                ? new BackendStatus(
                        BackendStatus.BackendState.DEGRADED,
                        seen.lastFailure().map(last -> "its circuit breaker is open; last unanswered call: " + last),
                        seen.openedAt().orElse(now.since()))
                : now;
    }

    /** State of the circuit breaker, which decides whether calls are sent. */
    public CircuitBreakerSnapshot breaker() {
        return breaker.snapshot();
    }

    /** Counts of the backend's calls. */
    public BackendCallCounts calls() {
        return new BackendCallCounts(
                bulkhead.running(),
                bulkhead.waiting(),
                answered.sum(),
                failed.sum(),
                retried.sum(),
                connection.droppedMessages());
    }

    /**
     * Latency of recent calls from start to end, including retry delays; timeouts count in full. Time in the bulkhead
     * queue is not included.
     */
    public LatencyHistogram.LatencyPercentiles latency() {
        return latencies.percentiles();
    }

    /** Like {@link #latency()}, by tool name. */
    Map<String, LatencyHistogram.LatencyPercentiles> latencyByTool() {
        return latencies.percentilesByTool();
    }

    private void recordLatency(BackendCall one, Instant begun, @Nullable ToolResult result) {
        if (result instanceof ToolResult.ToolFailure failure && failure.error().code() == ToolErrorCode.CANCELLED) {
            return; // a cancellation says nothing about the backend
        }
        Duration time = Duration.between(begun, clock.instant());
        latencies.recordLatency(time);
        String tool = one.call().tool().tool();
        if (tools.containsKey(tool)) {
            latencies.recordLatencyOfTool(tool, time);
        }
    }

    /**
     * Counts of calls.
     *
     * @param running calls that were sent and not answered
     * @param waiting calls in the bulkhead queue
     * @param answered calls answered since the backend was connected on this node, including answers that the tool
     *     failed
     * @param failed calls that were not answered
     * @param retried attempts made because an earlier attempt was not answered
     * @param dropped messages from the backend that belong to no call, or are invalid
     */
    public record BackendCallCounts(int running, int waiting, long answered, long failed, long retried, long dropped) {}

    @Override
    public CompletionStage<ToolResult> call(ToolCall call) {
        return callWithRetry(call).thenApply(ConnectorCallResult::result);
    }

    @Override
    public CompletionStage<ConnectorCallResult> callWithRetry(ToolCall call) {
        PinnedToolDefinition tool = tools.get(call.tool().tool());
        Optional<ToolResult> refused = findRefusal(call, tool);
        if (refused.isPresent() || tool == null) {
            return CompletableFuture.completedFuture(new ConnectorCallResult(refused.orElseThrow(), 0));
        }
        BackendCall one = new BackendCall(call);
        if (openCalls.putIfAbsent(call.id(), one) != null) {
            return CompletableFuture.completedFuture(
                    new ConnectorCallResult(failure(ToolErrorCode.OUTCOME_UNKNOWN, call, "is already in progress"), 1));
        }
        one.result().whenComplete((done, failure) -> openCalls.remove(call.id(), one));
        try {
            enter(one, tool);
        } catch (RuntimeException | Error e) {
            failInternally(one, e);
        }
        return one.result().thenApply(one::withAttempts);
    }

    private void enter(BackendCall one, PinnedToolDefinition tool) {
        if (closed) {
            fail(one, closedResult(one));
            return;
        }
        ToolCall call = one.call();
        long left =
                Math.max(1, Duration.between(clock.instant(), call.deadline()).toMillis());
        ScheduledFuture<?> deadline =
                scheduler.schedule(() -> expire(call, "until its deadline"), left, TimeUnit.MILLISECONDS);
        one.result().whenComplete((done, failure) -> deadline.cancel(false));
        if (!bulkhead.tryEnter(call.id(), () -> startCall(one, tool), () -> fail(one, closedResult(one)))) {
            fail(
                    one,
                    one.failure(
                            ToolErrorCode.BACKEND_BUSY,
                            "was not sent: " + settings.maxConcurrent() + " calls are under way and "
                                    + settings.maxQueued() + " wait; try again later"));
        }
    }

    private Optional<ToolResult> findRefusal(ToolCall call, @Nullable PinnedToolDefinition tool) {
        BackendStatus now = status;
        String backend = definition.name();
        if (tool == null || !tool.available()) {
            return Optional.of(failure(ToolErrorCode.TOOL_NOT_FOUND, call, "is not offered by its backend any more"));
        }
        String problem = unusableTools.get(tool.name());
        if (problem != null) {
            return Optional.of(failure(ToolErrorCode.TOOL_UNUSABLE, call, "cannot be used: " + problem));
        }
        if (tool.isQuarantined()) {
            return Optional.of(failure(
                    ToolErrorCode.TOOL_QUARANTINED,
                    call,
                    "is quarantined: its definition changed after it was first seen, and no administrator has"
                            + " accepted that yet"));
        }
        return switch (now.state()) {
            case STARTING ->
                Optional.of(ToolResult.failure(
                        ToolErrorCode.BACKEND_STARTING,
                        "Backend '" + backend + "' is still starting; tool '" + tool.name()
                                + "' is known from its cached catalog"));
            case DOWN ->
                Optional.of(ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE,
                        "Backend '" + backend + "' is down"
                                + now.lastError().map(e -> ": " + e).orElse("")));
            case READY, DEGRADED -> Optional.empty();
        };
    }

    /** Starts a call that holds a bulkhead permit. The end of the call releases it. Does not throw. */
    private void startCall(BackendCall one, PinnedToolDefinition tool) {
        one.result().whenComplete((done, failure) -> bulkhead.release());
        if (!one.isOpen()) {
            return;
        } else if (closed) {
            fail(one, closedResult(one));
        } else if (!clock.instant().isBefore(one.call().deadline())) {
            fail(one, unsentResult(one));
        } else if (!breaker.tryAcquirePermission()) {
            fail(
                    one,
                    one.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE,
                            "was not sent: its circuit breaker is open, because the backend did not answer recent"
                                    + " calls; try again later"));
        } else {
            try {
                sendFirst(one, tool);
            } catch (RuntimeException | Error e) {
                breaker.releasePermission();
                failInternally(one, e);
            }
        }
    }

    /** Sends a call for which the circuit breaker has given a permission. */
    private void sendFirst(BackendCall one, PinnedToolDefinition tool) {
        ScheduledFuture<?> timeout = scheduler.schedule(
                () -> {
                    String when = "within " + settings.timeout().toMillis() + " ms";
                    // A call that its own deadline ended is not counted, and has no breaker permission any more.
                    if (one.isOpen() && !one.isAcknowledged()) {
                        breaker.recordFailure("'" + one.call().tool() + "' did not answer " + when);
                    }
                    expire(one.call(), when);
                },
                settings.timeout().toMillis(),
                TimeUnit.MILLISECONDS);
        one.result().whenComplete((done, failure) -> timeout.cancel(false));
        Instant begun = clock.instant();
        one.result().whenComplete((done, failure) -> recordLatency(one, begun, done));
        Instant longest = begun.plus(settings.timeout());
        Instant deadline = one.call().deadline();
        attempt(one, tool, deadline.isBefore(longest) ? deadline : longest);
    }

    /** @param until deadline of the call */
    private void attempt(BackendCall one, PinnedToolDefinition tool, Instant until) {
        boolean repeatable = isRepeatable(tool);
        int sent = one.beginSend(tool.definition().originalName(), repeatable);
        if (sent == 0) {
            // The call expired or was cancelled after the breaker admitted it. The thread that completed it saw no
            // attempt, so that the breaker permission is released here.
            breaker.releasePermission();
            return;
        }
        if (sent > 1) {
            retried.increment();
        }
        CompletionStage<ToolResult> answer = send(one, tool, repeatable, until);
        one.setAnswer(answer);
        answer.whenComplete((received, failure) -> {
            try {
                handleAnswer(one, received, failure, until);
            } catch (RuntimeException | Error e) {
                breaker.releasePermission();
                failInternally(one, e);
            }
        });
    }

    private void handleAnswer(
            BackendCall one, @Nullable ToolResult received, @Nullable Throwable failure, Instant until) {
        ToolResult got = received == null ? null : one.withPlainToolName(received);
        if (!one.isOpen()) {
            // The call may be withdrawn at this time, and the answer tells more than the connection would.
            if (got != null && BackendCall.isConclusive(got)) {
                completeAnswered(one, got);
            }
        } else if (failure != null || got == null) {
            breaker.recordFailure("'" + one.call().tool() + "' failed inside its connector");
            failInternally(one, failure);
        } else if (isUnanswered(got)) {
            recordUnanswered(one, got);
            if (!one.isRepeatable()
                    || !RetrySettings.isRetryable(got)
                    || !scheduleRetry(one, got, RetrySettings.requestedDelay(got), until)) {
                complete(one, got);
            }
        } else {
            breaker.recordSuccess();
            completeAnswered(one, got);
        }
    }

    private void recordUnanswered(BackendCall one, ToolResult got) {
        if (one.isAcknowledged()) {
            breaker.recordSuccess(); // the remote side is reachable: its report on the call is an answer
        } else if (RetrySettings.isThrottled(got)) {
            // A load balancer may answer so before a server that is away: the answer is no evidence at all.
            breaker.releasePermission();
        } else {
            breaker.recordFailure(failureMessage(got));
        }
    }

    /** Publishes the answer to a call that is open or is being withdrawn. Does nothing if the call has ended. */
    private void completeAnswered(BackendCall one, ToolResult got) {
        ToolResult clean = ToolResultRedactor.redact(got, connection.redactor());
        if (one.tryComplete() || one.tryCompleteWithdrawn()) {
            answered.increment();
            one.result().complete(clean);
        }
    }

    private boolean isRepeatable(PinnedToolDefinition tool) {
        return toSpec(tool).hints().isRepeatable();
    }

    private void complete(BackendCall one, ToolResult result) {
        fail(one, ToolResultRedactor.redact(result, connection.redactor()));
    }

    /** Ends an open call that is not answered. */
    private void fail(BackendCall one, ToolResult result) {
        if (one.tryComplete()) {
            failed.increment();
            one.result().complete(result);
        }
    }

    /** Ends an open call that this node or its connection failed to handle. */
    private void failInternally(BackendCall one, @Nullable Throwable failure) {
        if (one.sendCount() == 0) {
            fail(one, one.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "was not sent: this node could not begin it"));
        } else if (one.isRepeatable()) {
            fail(one, one.failure(ToolErrorCode.TOOL_FAILED, "failed inside its connector"));
        } else {
            fail(
                    one,
                    one.failure(
                            ToolErrorCode.OUTCOME_UNKNOWN, "failed inside its connector; it may have had its effect"));
        }
        System.getLogger(ManagedBackend.class.getName())
                .log(System.Logger.Level.WARNING, failureLogText(one.call(), failure));
    }

    /**
     * Schedules another attempt after a delay; the call keeps its bulkhead permit. Returns false if no attempt is left
     * or the delay would pass the deadline.
     *
     * @param requested how long the backend wants callers to wait in addition
     */
    private boolean scheduleRetry(BackendCall one, ToolResult last, Duration requested, Instant until) {
        int attempts = one.attempts();
        Duration pause = settings.retry().delayAfter(attempts, one.call().id()).plus(requested);
        if (attempts >= settings.retry().maxAttempts()
                || !clock.instant().plus(pause).isBefore(until)) {
            return false;
        }
        try {
            scheduler.schedule(
                    () -> executor.execute(() -> retry(one, last, until)), pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return false; // The node is stopping.
        }
        one.countAttempt();
        return true;
    }

    private void retry(BackendCall one, ToolResult last, Instant until) {
        if (!one.isOpen()) {
            return;
        }
        PinnedToolDefinition tool = tools.get(one.call().tool().tool());
        boolean away = status.state() == BackendStatus.BackendState.STARTING
                || status.state() == BackendStatus.BackendState.DOWN;
        if (closed) {
            complete(one, last);
        } else if (away) {
            // The backend may be reconnecting: waiting for it counts as an attempt. It did not ask for this wait.
            if (!scheduleRetry(one, last, Duration.ZERO, until)) {
                complete(one, last);
            }
        } else if (tool == null
                || findRefusal(one.call(), tool).isPresent()
                || !isRepeatable(tool)
                || !breaker.tryAcquirePermission()) {
            complete(one, last);
        } else {
            attempt(one, tool, until);
        }
    }

    private CompletionStage<ToolResult> send(
            BackendCall one, PinnedToolDefinition tool, boolean repeatable, Instant until) {
        ToolCall call = one.call();
        try {
            return Objects.requireNonNull(
                    connection.call(new BackendConnection.BackendRequest(
                            call.id(),
                            tool.definition().originalName(),
                            call.arguments(),
                            repeatable,
                            call.tenant(),
                            until,
                            call.trace(),
                            one::acknowledge)),
                    "its connection returned nothing");
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The exception may contain the arguments of the call, so that it is redacted. */
    private String failureLogText(ToolCall call, @Nullable Throwable failure) {
        return "call " + call.id() + " of " + call.tool()
                + (failure == null ? "" : ": " + connection.redactor().redact(failure));
    }

    private String failureMessage(ToolResult result) {
        return result instanceof ToolResult.ToolFailure failure
                ? connection.redactor().redact(failure.error().message())
                : "";
    }

    private static boolean isUnanswered(ToolResult result) {
        return result instanceof ToolResult.ToolFailure failure
                && switch (failure.error().code()) {
                    case BACKEND_UNAVAILABLE, OUTCOME_UNKNOWN, TIMEOUT -> true;
                    default -> false;
                };
    }

    private void expire(ToolCall call, String when) {
        BackendCall one = openCalls.get(call.id());
        if (one == null) {
            return;
        }
        String heard = lastProgress(call.id());
        if (!one.tryWithdraw()) {
            return;
        }
        if (one.sendCount() == 0) {
            failWithdrawn(one, unsentResult(one));
            cancelQueuedOrSent(call.id());
        } else if (one.isRepeatable()) {
            failWithdrawn(one, one.failure(ToolErrorCode.TIMEOUT, "did not answer " + when + heard));
            cancelQueuedOrSent(call.id());
        } else {
            breaker.releasePermission();
            withdrawal
                    .withdraw(call.id())
                    .thenAcceptAsync(withoutEffect -> endWithdrawal(one, withoutEffect, when, heard), executor);
        }
    }

    /** Returns the last progress for the error of a call. Its time has passed, and it ends without it if need be. */
    private String lastProgress(CallId call) {
        try {
            return connection
                    .lastProgress(call)
                    .map(progress ->
                            "; last progress: " + truncate(connection.redactor().redact(progress)))
                    .orElse("");
        } catch (RuntimeException | Error e) {
            System.getLogger(ManagedBackend.class.getName())
                    .log(System.Logger.Level.WARNING, "the progress of call " + call + " could not be read", e);
            return "";
        }
    }

    private static ToolResult closedResult(BackendCall one) {
        return one.failure(
                ToolErrorCode.BACKEND_UNAVAILABLE, "was not sent: its backend was closed, or this node is stopping");
    }

    private static ToolResult unsentResult(BackendCall one) {
        return one.failure(ToolErrorCode.TIMEOUT, "was not sent: its time passed while it waited for its turn");
    }

    /** Publishes on the executor, because the reply may wait for the broker and the timer serves all calls. */
    private void failWithdrawn(BackendCall one, ToolResult result) {
        if (one.tryCompleteWithdrawn()) {
            failed.increment();
            executor.execute(() -> one.result().complete(result));
        }
    }

    /** @param withoutEffect what the connection reports of the withdrawn call */
    private void endWithdrawal(BackendCall one, boolean withoutEffect, String when, String heard) {
        // The connection may have answered between the two steps: it then has nothing to withdraw any more.
        try {
            one.conclusiveAnswer().ifPresent(got -> completeAnswered(one, got));
        } catch (RuntimeException | Error e) {
            System.getLogger(ManagedBackend.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the answer to call " + one.call().id() + " is lost",
                            e);
        }
        if (!one.tryCompleteWithdrawn()) {
            return;
        }
        failed.increment();
        if (withoutEffect) {
            one.markWithoutEffect();
        }
        one.result()
                .complete(
                        withoutEffect
                                ? one.failure(
                                        ToolErrorCode.TIMEOUT,
                                        "did not answer " + when + ", was withdrawn and has no effect")
                                : one.failure(
                                        ToolErrorCode.OUTCOME_UNKNOWN,
                                        "did not answer " + when + "; it may have had its effect" + heard));
    }

    private static String truncate(String text) {
        return text.length() <= MAX_PROGRESS_LENGTH ? text : text.substring(0, MAX_PROGRESS_LENGTH) + "...";
    }

    @Override
    public void cancel(CallId call) {
        BackendCall one = openCalls.get(call);
        if (one != null && one.tryComplete()) {
            one.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
            cancelQueuedOrSent(call);
        }
    }

    @Override
    public boolean cancelIfNotStarted(CallId call) {
        BackendCall one = openCalls.get(call);
        if (one == null || !bulkhead.removeQueued(call)) {
            return false;
        }
        if (one.tryComplete()) {
            one.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was not begun"));
        }
        return true;
    }

    private void cancelQueuedOrSent(CallId call) {
        if (!bulkhead.removeQueued(call)) {
            breaker.releasePermission();
            connection.cancel(call);
        }
    }

    private static ToolResult failure(ToolErrorCode code, ToolCall call, String what) {
        return ToolResult.failure(code, "'" + call.tool() + "' " + what);
    }

    void start() {
        connection.start();
    }

    /** Closes the connection. Calls that wait for their turn are refused. */
    void close() {
        closed = true;
        bulkhead.refuseQueued();
        connection.close();
    }
}
