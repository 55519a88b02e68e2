package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.secret.RedactedResult;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/**
 * A configured backend: keeps what is wrong with it to itself. Its calls have room, time and a breaker of their own, and a
 * tool whose definition changed is not called. Thread-safe.
 */
public final class HostedBackend implements Connector {
    private static final int LONGEST_PROGRESS = 500;

    private final BackendDefinition definition;
    private final CallSettings settings;
    private final LiveBackend live;
    private final InstantSource clock;
    private final ScheduledExecutorService scheduler;
    private final Bulkhead bulkhead;
    private final Breaker breaker;
    private final Map<CallId, OpenCall> open = new ConcurrentHashMap<>();
    private final LongAdder answered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private volatile Map<String, PinnedTool> tools = Map.of();
    private volatile List<ToolSpec> specs = List.of();
    private volatile BackendStatus status;

    /** One call on its way, and what ends it. */
    private record OpenCall(CompletableFuture<ToolResult> result, ScheduledFuture<?> deadline) {}

    HostedBackend(
            BackendDefinition definition,
            CallSettings settings,
            LiveBackend live,
            InstantSource clock,
            ScheduledExecutorService scheduler,
            Executor executor) {
        this.definition = definition;
        this.settings = settings;
        this.live = live;
        this.clock = clock;
        this.scheduler = scheduler;
        this.bulkhead = new Bulkhead(settings.concurrent(), settings.waiting(), executor);
        this.breaker = new Breaker(settings.failures(), settings.pause(), clock);
        this.status = new BackendStatus(BackendStatus.State.STARTING, Optional.empty(), clock.instant());
    }

    /** As it was configured. */
    public BackendDefinition definition() {
        return definition;
    }

    @Override
    public String backend() {
        return definition.name();
    }

    /** The tools that may be called, with the hints that count. */
    @Override
    public List<ToolSpec> tools() {
        return specs;
    }

    /** All tools that are known. */
    List<PinnedTool> pinned() {
        return tools.values().stream()
                .sorted(Comparator.comparing(PinnedTool::name))
                .toList();
    }

    /** What its server declares, without what was confided to it. */
    List<ToolDefinition> redacted(List<ToolDefinition> declared) {
        return declared.stream()
                .map(tool -> Redacted.of(tool, live.redaction()))
                .toList();
    }

    void tools(List<PinnedTool> now) {
        tools = now.stream().collect(Collectors.toUnmodifiableMap(PinnedTool::name, Function.identity()));
        specs = now.stream()
                .filter(PinnedTool::present)
                .map(this::spec)
                .filter(Catalog::accepts)
                .toList();
    }

    private ToolSpec spec(PinnedTool tool) {
        ToolHints said = tool.definition().hints();
        ToolHints hints = settings.trustHints() ? said : new ToolHints(false, false, said.destructive());
        return new ToolSpec(
                new ToolName(definition.name(), tool.name()),
                tool.definition().description(),
                tool.definition().inputSchema(),
                tool.definition().outputSchema(),
                hints);
    }

    void state(BackendStatus.State state, Optional<String> error) {
        BackendStatus before = status;
        Instant since = before.state() == state ? before.since() : clock.instant();
        status = new BackendStatus(state, error.map(live.redaction()::of).or(before::lastError), since);
    }

    /** How it is now. */
    public BackendStatus status() {
        BackendStatus now = status;
        return now.state() == BackendStatus.State.READY && breaker.open()
                ? new BackendStatus(BackendStatus.State.DEGRADED, now.lastError(), now.since())
                : now;
    }

    /** Its calls in figures. */
    public Calls calls() {
        return new Calls(bulkhead.running(), bulkhead.waiting(), answered.sum(), failed.sum(), live.dropped());
    }

    /**
     * Calls in figures.
     *
     * @param running sent and not answered
     * @param waiting for their turn
     * @param answered answered since the backend was connected here, the answer being that the tool failed included
     * @param failed not answered
     * @param dropped messages from whoever answers that belong to no call, or say nothing
     */
    public record Calls(int running, int waiting, long answered, long failed, long dropped) {}

    @Override
    public CompletionStage<ToolResult> call(ToolCall call) {
        PinnedTool tool = tools.get(call.tool().tool());
        Optional<ToolResult> refused = refused(call, tool);
        if (refused.isPresent() || tool == null) {
            return CompletableFuture.completedFuture(refused.orElseThrow());
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        long left =
                Math.max(1, Duration.between(clock.instant(), call.deadline()).toMillis());
        ScheduledFuture<?> deadline = scheduler.schedule(
                () -> expire(call, "within the time that the script gave it"), left, TimeUnit.MILLISECONDS);
        OpenCall one = new OpenCall(result, deadline);
        if (open.putIfAbsent(call.id(), one) != null) {
            deadline.cancel(false);
            return CompletableFuture.completedFuture(
                    failure(ToolErrorCode.OUTCOME_UNKNOWN, call, "is under way already"));
        }
        result.whenComplete((done, failure) -> {
            open.remove(call.id(), one);
            deadline.cancel(false);
        });
        if (!bulkhead.enter(call.id(), () -> begin(call, tool, result))) {
            failed.increment();
            result.complete(failure(
                    ToolErrorCode.BACKEND_BUSY,
                    call,
                    "was not sent: " + settings.concurrent() + " calls are under way and " + settings.waiting()
                            + " wait; try again later"));
        }
        return result;
    }

    private Optional<ToolResult> refused(ToolCall call, @Nullable PinnedTool tool) {
        BackendStatus now = status;
        String backend = definition.name();
        if (tool == null || !tool.present()) {
            return Optional.of(failure(ToolErrorCode.TOOL_NOT_FOUND, call, "is not offered by its backend any more"));
        }
        if (tool.quarantined()) {
            return Optional.of(
                    failure(
                            ToolErrorCode.TOOL_QUARANTINED,
                            call,
                            "is quarantined: its definition changed after it was first seen, and no operator has accepted that yet"));
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

    /** Runs in its turn; whoever enters here leaves the bulkhead once. */
    private void begin(ToolCall call, PinnedTool tool, CompletableFuture<ToolResult> result) {
        if (result.isDone()) {
            bulkhead.leave();
            return;
        }
        if (!breaker.allows()) {
            bulkhead.leave();
            failed.increment();
            result.complete(failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    call,
                    "was not sent: its backend has not answered lately, and is given a pause"));
            return;
        }
        ScheduledFuture<?> timeout = scheduler.schedule(
                () -> {
                    breaker.unanswered();
                    expire(call, "within " + settings.timeout().toMillis() + " ms");
                },
                settings.timeout().toMillis(),
                TimeUnit.MILLISECONDS);
        // However it ends, its place is free again: an answer that comes later than that is not waited for.
        result.whenComplete((done, failure) -> {
            timeout.cancel(false);
            bulkhead.leave();
        });
        ToolHints hints = spec(tool).hints();
        answer(call, result, send(call, tool, hints.readOnly() || hints.idempotent()));
    }

    private CompletionStage<ToolResult> send(ToolCall call, PinnedTool tool, boolean repeatable) {
        try {
            Instant longest = clock.instant().plus(settings.timeout());
            return live.call(new LiveBackend.Call(
                    call.id(),
                    tool.definition().original(),
                    call.arguments(),
                    repeatable,
                    call.tenant(),
                    call.deadline().isBefore(longest) ? call.deadline() : longest,
                    call.trace()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answer(ToolCall call, CompletableFuture<ToolResult> result, CompletionStage<ToolResult> sent) {
        sent.whenComplete((got, failure) -> {
            if (result.isDone()) {
                return; // nobody waited any longer, and why is counted already
            }
            if (failure != null || got == null) {
                breaker.unanswered();
                failed.increment();
                System.getLogger(HostedBackend.class.getName()).log(System.Logger.Level.WARNING, failed(call, failure));
                result.complete(failure(ToolErrorCode.TOOL_FAILED, call, "failed inside its connector"));
                return;
            }
            if (unanswered(got)) {
                breaker.unanswered();
                failed.increment();
            } else {
                breaker.answered();
                answered.increment();
            }
            result.complete(RedactedResult.of(got, live.redaction()));
        });
    }

    /** What is thrown may hold what was sent. */
    private String failed(ToolCall call, @Nullable Throwable failure) {
        return "call " + call.id() + " of " + call.tool()
                + (failure == null ? "" : ": " + live.redaction().of(failure));
    }

    private static boolean unanswered(ToolResult result) {
        return result instanceof ToolResult.Failure failure
                && switch (failure.error().code()) {
                    case BACKEND_UNAVAILABLE, OUTCOME_UNKNOWN, TIMEOUT -> true;
                    default -> false;
                };
    }

    private void expire(ToolCall call, String when) {
        OpenCall one = open.get(call.id());
        if (one == null) {
            return;
        }
        failed.increment();
        String heard = live.progress(call.id())
                .map(progress -> "; the last that was heard of it: "
                        + cut(live.redaction().of(progress)))
                .orElse("");
        if (one.result().complete(failure(ToolErrorCode.TIMEOUT, call, "did not answer " + when + heard))) {
            leave(call.id());
        }
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_PROGRESS ? text : text.substring(0, LONGEST_PROGRESS) + "...";
    }

    @Override
    public void cancel(CallId call) {
        OpenCall one = open.get(call);
        if (one != null
                && one.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"))) {
            leave(call);
        }
    }

    @Override
    public boolean withdraw(CallId call) {
        OpenCall one = open.get(call);
        if (one == null || !bulkhead.withdraw(call)) {
            return false;
        }
        one.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was not begun"));
        return true;
    }

    private void leave(CallId call) {
        if (!bulkhead.withdraw(call)) {
            breaker.unknown();
            live.cancel(call);
        }
    }

    private static ToolResult failure(ToolErrorCode code, ToolCall call, String what) {
        return ToolResult.failure(code, "'" + call.tool() + "' " + what);
    }

    void start() {
        live.start();
    }

    void close() {
        live.close();
    }
}
