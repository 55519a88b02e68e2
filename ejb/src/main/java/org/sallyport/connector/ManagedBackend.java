package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
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
    private static final int MAX_SHOWN_NAME_LENGTH = 200;

    private final BackendDefinition definition;
    private final CallSettings settings;
    private final BackendConnection connection;
    private final InstantSource clock;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Bulkhead bulkhead;
    private final CircuitBreaker breaker;
    private final Map<CallId, BackendCall> openCalls = new ConcurrentHashMap<>();
    private final LongAdder answered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LatencyHistogram latencies;
    /** By the names of tools that were called. */
    private final Map<String, LatencyHistogram> latenciesByTool = new ConcurrentHashMap<>();

    private volatile Map<String, PinnedToolDefinition> tools = Map.of();
    private volatile List<NamedTool> namedTools = List.of();
    private volatile List<ToolSpec> specs = List.of();
    /** Why tools cannot be called, by their names. */
    private volatile Map<String, String> unusableTools = Map.of();

    private volatile BackendStatus status;

    /** A call in progress. The non-final fields are used by one thread after the other. */
    private static final class BackendCall {
        private final ToolCall call;
        private final CompletableFuture<ToolResult> result = new CompletableFuture<>();
        private final AtomicBoolean completed = new AtomicBoolean();
        /** How many times the call was sent. */
        private final AtomicInteger sendCount = new AtomicInteger();
        /** Number of attempts, including attempts for which the backend was away. */
        private int attempts = 1;
        /** Whether the remote side is known to have received the current attempt. */
        private volatile boolean acknowledged;

        BackendCall(ToolCall call) {
            this.call = call;
        }

        boolean isCompleted() {
            return completed.get();
        }

        /**
         * Claims the right to complete and count the call; true for the first caller only. Called before the result is
         * published.
         */
        boolean tryComplete() {
            return completed.compareAndSet(false, true);
        }
    }

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
        this.executor = executor;
        this.latencies = new LatencyHistogram(clock);
        this.bulkhead = new Bulkhead(settings.maxConcurrent(), settings.maxQueued(), executor);
        this.breaker = new CircuitBreaker(settings.breakerFailureThreshold(), settings.breakerOpenDuration(), clock);
        this.status = new BackendStatus(BackendStatus.BackendState.STARTING, Optional.empty(), clock.instant());
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
        latenciesByTool.keySet().retainAll(tools.keySet());
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
        Map<String, LatencyHistogram.LatencyPercentiles> all = new TreeMap<>();
        latenciesByTool.forEach((tool, times) -> all.put(tool, times.percentiles()));
        return all;
    }

    private void recordLatency(BackendCall one, Instant begun, @Nullable ToolResult result) {
        if (result instanceof ToolResult.ToolFailure failure && failure.error().code() == ToolErrorCode.CANCELLED) {
            return; // a cancellation says nothing about the backend
        }
        Duration time = Duration.between(begun, clock.instant());
        latencies.recordDuration(time);
        String tool = one.call.tool().tool();
        if (tools.containsKey(tool)) {
            latenciesByTool
                    .computeIfAbsent(tool, any -> new LatencyHistogram(clock))
                    .recordDuration(time);
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
        long left =
                Math.max(1, Duration.between(clock.instant(), call.deadline()).toMillis());
        ScheduledFuture<?> deadline = scheduler.schedule(
                () -> expire(call, "within the time that the script gave it"), left, TimeUnit.MILLISECONDS);
        one.result.whenComplete((done, failure) -> {
            openCalls.remove(call.id(), one);
            deadline.cancel(false);
        });
        if (!bulkhead.tryEnter(call.id(), () -> startCall(one, tool)) && one.tryComplete()) {
            failed.increment();
            one.result.complete(failure(
                    ToolErrorCode.BACKEND_BUSY,
                    call,
                    "was not sent: " + settings.maxConcurrent() + " calls are under way and " + settings.maxQueued()
                            + " wait; try again later"));
        }
        return one.result.thenApply(result -> new ConnectorCallResult(result, one.sendCount.get()));
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

    /** Starts a call that holds a bulkhead permit. Each path releases the permit exactly once. */
    private void startCall(BackendCall one, PinnedToolDefinition tool) {
        if (one.isCompleted()) {
            bulkhead.release();
            return;
        }
        if (!breaker.tryAcquirePermission()) {
            bulkhead.release();
            if (one.tryComplete()) {
                failed.increment();
                one.result.complete(failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE,
                        one.call,
                        "was not sent: its circuit breaker is open, because the backend did not answer recent calls;"
                                + " try again later"));
            }
            return;
        }
        ScheduledFuture<?> timeout = scheduler.schedule(
                () -> {
                    String when = "within " + settings.timeout().toMillis() + " ms";
                    if (!one.acknowledged) {
                        breaker.recordFailure("'" + one.call.tool() + "' did not answer " + when);
                    }
                    expire(one.call, when);
                },
                settings.timeout().toMillis(),
                TimeUnit.MILLISECONDS);
        // The permit is released on any outcome; a reply that arrives after that is ignored.
        Instant begun = clock.instant();
        one.result.whenComplete((done, failure) -> {
            timeout.cancel(false);
            recordLatency(one, begun, done);
            bulkhead.release();
        });
        Instant longest = begun.plus(settings.timeout());
        attempt(one, tool, one.call.deadline().isBefore(longest) ? one.call.deadline() : longest);
    }

    /** @param until deadline of the call */
    private void attempt(BackendCall one, PinnedToolDefinition tool, Instant until) {
        boolean repeatable = isRepeatable(tool);
        int sent = one.sendCount.incrementAndGet();
        if (one.isCompleted()) {
            // The call expired or was cancelled after the breaker admitted it. The thread that completed it saw no
            // attempt, so that the breaker permission is released here.
            breaker.releasePermission();
            return;
        }
        if (sent > 1) {
            retried.increment();
        }
        one.acknowledged = false;
        send(one, tool, repeatable, until).whenComplete((answer, failure) -> {
            if (one.isCompleted()) {
                return; // the call was completed and counted already
            }
            ToolResult got = answer == null ? null : withPlainToolName(answer, tool);
            if (failure != null || got == null) {
                breaker.recordFailure("'" + one.call.tool() + "' failed inside its connector");
                System.getLogger(ManagedBackend.class.getName())
                        .log(System.Logger.Level.WARNING, failureLogText(one.call, failure));
                complete(one, failure(ToolErrorCode.TOOL_FAILED, one.call, "failed inside its connector"));
            } else if (isUnanswered(got)) {
                if (one.acknowledged) {
                    breaker.recordSuccess(); // the remote side is reachable: its report on the call is an answer
                } else {
                    breaker.recordFailure(failureMessage(got));
                }
                if (!repeatable || !RetrySettings.isRetryable(got) || !scheduleRetry(one, got, until)) {
                    complete(one, got);
                }
            } else {
                breaker.recordSuccess();
                ToolResult clean = ToolResultRedactor.redact(got, connection.redactor());
                if (one.tryComplete()) {
                    answered.increment();
                    one.result.complete(clean);
                }
            }
        });
    }

    /** Connectors name a tool as its server does: such a name may have any length and any characters. */
    private static ToolResult withPlainToolName(ToolResult result, PinnedToolDefinition tool) {
        if (!(result instanceof ToolResult.ToolFailure failure)) {
            return result;
        }
        ToolError error = failure.error();
        String original = tool.definition().originalName();
        String plain = PlainText.singleLine(original, MAX_SHOWN_NAME_LENGTH);
        return plain.equals(original) || !error.message().contains(original)
                ? result
                : new ToolResult.ToolFailure(
                        new ToolError(error.code(), error.message().replace(original, plain), error.details()));
    }

    private boolean isRepeatable(PinnedToolDefinition tool) {
        ToolHints hints = toSpec(tool).hints();
        return hints.readOnly() || hints.idempotent();
    }

    private void complete(BackendCall one, ToolResult result) {
        ToolResult clean = ToolResultRedactor.redact(result, connection.redactor());
        if (one.tryComplete()) {
            failed.increment();
            one.result.complete(clean);
        }
    }

    /**
     * Schedules another attempt after a delay; the call keeps its bulkhead permit. Returns false if no attempt is left
     * or the delay would pass the deadline.
     */
    private boolean scheduleRetry(BackendCall one, ToolResult last, Instant until) {
        Duration pause = settings.retry().delayAfter(one.attempts, one.call.id());
        if (one.attempts >= settings.retry().maxAttempts()
                || !clock.instant().plus(pause).isBefore(until)) {
            return false;
        }
        one.attempts++;
        scheduler.schedule(
                () -> executor.execute(() -> retry(one, last, until)), pause.toMillis(), TimeUnit.MILLISECONDS);
        return true;
    }

    private void retry(BackendCall one, ToolResult last, Instant until) {
        if (one.isCompleted()) {
            return;
        }
        PinnedToolDefinition tool = tools.get(one.call.tool().tool());
        boolean away = status.state() == BackendStatus.BackendState.STARTING
                || status.state() == BackendStatus.BackendState.DOWN;
        if (away) {
            // The backend may be reconnecting: waiting for it counts as an attempt.
            if (!scheduleRetry(one, last, until)) {
                complete(one, last);
            }
        } else if (tool == null
                || findRefusal(one.call, tool).isPresent()
                || !isRepeatable(tool)
                || !breaker.tryAcquirePermission()) {
            complete(one, last);
        } else {
            attempt(one, tool, until);
        }
    }

    private CompletionStage<ToolResult> send(
            BackendCall one, PinnedToolDefinition tool, boolean repeatable, Instant until) {
        ToolCall call = one.call;
        try {
            return connection.call(new BackendConnection.BackendRequest(
                    call.id(),
                    tool.definition().originalName(),
                    call.arguments(),
                    repeatable,
                    call.tenant(),
                    until,
                    call.trace(),
                    () -> one.acknowledged = true));
        } catch (RuntimeException e) {
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
        String heard = connection
                .lastProgress(call.id())
                .map(progress ->
                        "; last progress: " + truncate(connection.redactor().redact(progress)))
                .orElse("");
        if (one.tryComplete()) {
            failed.increment();
            one.result.complete(failure(ToolErrorCode.TIMEOUT, call, "did not answer " + when + heard));
            cancelQueuedOrSent(call.id());
        }
    }

    private static String truncate(String text) {
        return text.length() <= MAX_PROGRESS_LENGTH ? text : text.substring(0, MAX_PROGRESS_LENGTH) + "...";
    }

    @Override
    public void cancel(CallId call) {
        BackendCall one = openCalls.get(call);
        if (one != null && one.tryComplete()) {
            one.result.complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
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
            one.result.complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was not begun"));
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

    void close() {
        connection.close();
    }
}
