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
    private final Executor executor;
    private final Bulkhead bulkhead;
    private final Breaker breaker;
    private final Map<CallId, OpenCall> open = new ConcurrentHashMap<>();
    private final LongAdder answered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final Latencies latencies;
    /** Of each tool that was called. */
    private final Map<String, Latencies> byTool = new ConcurrentHashMap<>();

    private volatile Map<String, PinnedTool> tools = Map.of();
    private volatile List<ToolSpec> specs = List.of();
    private volatile BackendStatus status;

    /** One call on its way. What is not final is of one thread after the other. */
    private static final class OpenCall {
        private final ToolCall call;
        private final CompletableFuture<ToolResult> result = new CompletableFuture<>();
        private final AtomicBoolean over = new AtomicBoolean();
        /** How often it was sent. */
        private final AtomicInteger sent = new AtomicInteger();
        /** How often it was to be sent, be it that the backend was away then. */
        private int tries = 1;
        /** Whether whoever makes the call is known to have it, the attempt that is under way. */
        private volatile boolean taken;

        OpenCall(ToolCall call) {
            this.call = call;
        }

        boolean isOver() {
            return over.get();
        }

        /** Whether it ends here, and so is counted here; each does once, and before anybody hears of it. */
        boolean ends() {
            return over.compareAndSet(false, true);
        }
    }

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
        this.executor = executor;
        this.latencies = new Latencies(clock);
        this.bulkhead = new Bulkhead(settings.concurrent(), settings.waiting(), executor);
        this.breaker = new Breaker(settings.failures(), settings.pause(), clock);
        this.status = new BackendStatus(BackendStatus.State.STARTING, Optional.empty(), clock.instant());
    }

    /** As it was configured. */
    public BackendDefinition definition() {
        return definition;
    }

    /** Who may be asked in its place. */
    List<String> fallback() {
        return settings.fallback();
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
        byTool.keySet().retainAll(tools.keySet());
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
        BreakerView seen = breaker.view();
        return now.state() == BackendStatus.State.READY && seen.state() != BreakerView.State.CLOSED
                ? new BackendStatus(
                        BackendStatus.State.DEGRADED,
                        seen.lastFailure()
                                .map(last -> "its breaker is open; the last call that was not answered: " + last),
                        seen.since().orElse(now.since()))
                : now;
    }

    /** Whether its calls are sent, given how the last ones fared. */
    public BreakerView breaker() {
        return breaker.view();
    }

    /** Its calls in figures. */
    public Calls calls() {
        return new Calls(
                bulkhead.running(), bulkhead.waiting(), answered.sum(), failed.sum(), retried.sum(), live.dropped());
    }

    /** How long its calls have taken lately, from their turn to their end: waits for one more attempt and timeouts count in full. */
    public Latencies.Percentiles latency() {
        return latencies.percentiles();
    }

    /** As {@link #latency()}, by the names of the tools that were called. */
    Map<String, Latencies.Percentiles> latencyByTool() {
        Map<String, Latencies.Percentiles> all = new TreeMap<>();
        byTool.forEach((tool, times) -> all.put(tool, times.percentiles()));
        return all;
    }

    private void took(OpenCall one, Instant begun, @Nullable ToolResult result) {
        if (result instanceof ToolResult.Failure failure && failure.error().code() == ToolErrorCode.CANCELLED) {
            return; // that says nothing of the backend
        }
        Duration time = Duration.between(begun, clock.instant());
        latencies.took(time);
        String tool = one.call.tool().tool();
        if (tools.containsKey(tool)) {
            byTool.computeIfAbsent(tool, any -> new Latencies(clock)).took(time);
        }
    }

    /**
     * Calls in figures.
     *
     * @param running sent and not answered
     * @param waiting for their turn
     * @param answered answered since the backend was connected here, the answer being that the tool failed included
     * @param failed not answered
     * @param retried attempts that were made because one before was not answered
     * @param dropped messages from whoever answers that belong to no call, or say nothing
     */
    public record Calls(int running, int waiting, long answered, long failed, long retried, long dropped) {}

    @Override
    public CompletionStage<ToolResult> call(ToolCall call) {
        return answer(call).thenApply(Answer::result);
    }

    @Override
    public CompletionStage<Answer> answer(ToolCall call) {
        PinnedTool tool = tools.get(call.tool().tool());
        Optional<ToolResult> refused = refused(call, tool);
        if (refused.isPresent() || tool == null) {
            return CompletableFuture.completedFuture(new Answer(refused.orElseThrow(), 0));
        }
        OpenCall one = new OpenCall(call);
        if (open.putIfAbsent(call.id(), one) != null) {
            return CompletableFuture.completedFuture(
                    new Answer(failure(ToolErrorCode.OUTCOME_UNKNOWN, call, "is under way already"), 1));
        }
        long left =
                Math.max(1, Duration.between(clock.instant(), call.deadline()).toMillis());
        ScheduledFuture<?> deadline = scheduler.schedule(
                () -> expire(call, "within the time that the script gave it"), left, TimeUnit.MILLISECONDS);
        one.result.whenComplete((done, failure) -> {
            open.remove(call.id(), one);
            deadline.cancel(false);
        });
        if (!bulkhead.enter(call.id(), () -> begin(one, tool)) && one.ends()) {
            failed.increment();
            one.result.complete(failure(
                    ToolErrorCode.BACKEND_BUSY,
                    call,
                    "was not sent: " + settings.concurrent() + " calls are under way and " + settings.waiting()
                            + " wait; try again later"));
        }
        return one.result.thenApply(result -> new Answer(result, one.sent.get()));
    }

    private Optional<ToolResult> refused(ToolCall call, @Nullable PinnedTool tool) {
        BackendStatus now = status;
        String backend = definition.name();
        if (tool == null || !tool.present()) {
            return Optional.of(failure(ToolErrorCode.TOOL_NOT_FOUND, call, "is not offered by its backend any more"));
        }
        if (tool.quarantined()) {
            return Optional.of(failure(
                    ToolErrorCode.TOOL_QUARANTINED,
                    call,
                    "is quarantined: its definition changed after it was first seen, and no operator has"
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

    /** Runs in its turn; whoever enters here leaves the bulkhead once. */
    private void begin(OpenCall one, PinnedTool tool) {
        if (one.isOver()) {
            bulkhead.leave();
            return;
        }
        if (!breaker.allows()) {
            bulkhead.leave();
            if (one.ends()) {
                failed.increment();
                one.result.complete(failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE,
                        one.call,
                        "was not sent: its backend has not answered lately, and is given a pause"));
            }
            return;
        }
        ScheduledFuture<?> timeout = scheduler.schedule(
                () -> {
                    String when = "within " + settings.timeout().toMillis() + " ms";
                    if (!one.taken) {
                        breaker.unanswered("'" + one.call.tool() + "' did not answer " + when);
                    }
                    expire(one.call, when);
                },
                settings.timeout().toMillis(),
                TimeUnit.MILLISECONDS);
        // However it ends, its place is free again: an answer that comes later than that is not waited for.
        Instant begun = clock.instant();
        one.result.whenComplete((done, failure) -> {
            timeout.cancel(false);
            took(one, begun, done);
            bulkhead.leave();
        });
        Instant longest = begun.plus(settings.timeout());
        attempt(one, tool, one.call.deadline().isBefore(longest) ? one.call.deadline() : longest);
    }

    /** @param until when nobody waits for it any more */
    private void attempt(OpenCall one, PinnedTool tool, Instant until) {
        boolean repeatable = isRepeatable(tool);
        int sent = one.sent.incrementAndGet();
        if (one.isOver()) {
            // Given up since it was let through: whoever gave it up saw no attempt, and the breaker waits for none.
            breaker.unknown();
            return;
        }
        if (sent > 1) {
            retried.increment();
        }
        one.taken = false;
        send(one, tool, repeatable, until).whenComplete((got, failure) -> {
            if (one.isOver()) {
                return; // nobody waited any longer, and why is counted already
            }
            if (failure != null || got == null) {
                breaker.unanswered("'" + one.call.tool() + "' failed inside its connector");
                System.getLogger(HostedBackend.class.getName())
                        .log(System.Logger.Level.WARNING, failed(one.call, failure));
                fail(one, failure(ToolErrorCode.TOOL_FAILED, one.call, "failed inside its connector"));
            } else if (unanswered(got)) {
                if (one.taken) {
                    breaker.answered(); // it is there: what it says became of the call is an answer
                } else {
                    breaker.unanswered(said(got));
                }
                if (!repeatable || !Retry.helps(got) || !later(one, got, until)) {
                    fail(one, got);
                }
            } else {
                breaker.answered();
                ToolResult clean = RedactedResult.of(got, live.redaction());
                if (one.ends()) {
                    answered.increment();
                    one.result.complete(clean);
                }
            }
        });
    }

    private boolean isRepeatable(PinnedTool tool) {
        ToolHints hints = spec(tool).hints();
        return hints.readOnly() || hints.idempotent();
    }

    private void fail(OpenCall one, ToolResult result) {
        ToolResult clean = RedactedResult.of(result, live.redaction());
        if (one.ends()) {
            failed.increment();
            one.result.complete(clean);
        }
    }

    /** Has it sent once more after a pause, in the place that it has; false when that may not be, or would be too late. */
    private boolean later(OpenCall one, ToolResult last, Instant until) {
        Duration pause = settings.retry().after(one.tries, one.call.id());
        if (one.tries >= settings.retry().attempts()
                || !clock.instant().plus(pause).isBefore(until)) {
            return false;
        }
        one.tries++;
        scheduler.schedule(
                () -> executor.execute(() -> again(one, last, until)), pause.toMillis(), TimeUnit.MILLISECONDS);
        return true;
    }

    private void again(OpenCall one, ToolResult last, Instant until) {
        if (one.isOver()) {
            return;
        }
        PinnedTool tool = tools.get(one.call.tool().tool());
        boolean away = status.state() == BackendStatus.State.STARTING || status.state() == BackendStatus.State.DOWN;
        if (away) {
            // It may be on its way back: that counts as an attempt.
            if (!later(one, last, until)) {
                fail(one, last);
            }
        } else if (tool == null || refused(one.call, tool).isPresent() || !isRepeatable(tool) || !breaker.allows()) {
            fail(one, last);
        } else {
            attempt(one, tool, until);
        }
    }

    private CompletionStage<ToolResult> send(OpenCall one, PinnedTool tool, boolean repeatable, Instant until) {
        ToolCall call = one.call;
        try {
            return live.call(new LiveBackend.Call(
                    call.id(),
                    tool.definition().original(),
                    call.arguments(),
                    repeatable,
                    call.tenant(),
                    until,
                    call.trace(),
                    () -> one.taken = true));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What is thrown may hold what was sent. */
    private String failed(ToolCall call, @Nullable Throwable failure) {
        return "call " + call.id() + " of " + call.tool()
                + (failure == null ? "" : ": " + live.redaction().of(failure));
    }

    private String said(ToolResult result) {
        return result instanceof ToolResult.Failure failure
                ? live.redaction().of(failure.error().message())
                : "";
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
        String heard = live.progress(call.id())
                .map(progress -> "; the last that was heard of it: "
                        + cut(live.redaction().of(progress)))
                .orElse("");
        if (one.ends()) {
            failed.increment();
            one.result.complete(failure(ToolErrorCode.TIMEOUT, call, "did not answer " + when + heard));
            leave(call.id());
        }
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_PROGRESS ? text : text.substring(0, LONGEST_PROGRESS) + "...";
    }

    @Override
    public void cancel(CallId call) {
        OpenCall one = open.get(call);
        if (one != null && one.ends()) {
            one.result.complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
            leave(call);
        }
    }

    @Override
    public boolean withdraw(CallId call) {
        OpenCall one = open.get(call);
        if (one == null || !bulkhead.withdraw(call)) {
            return false;
        }
        if (one.ends()) {
            one.result.complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was not begun"));
        }
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
