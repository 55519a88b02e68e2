package org.sallyport.runner;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Claim;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.Replay;
import org.sallyport.journal.TraceEvent;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * The calls of one execution that have no answer yet: noted, answered and kept in order here. What an earlier run was
 * answered is answered the same, before anything new is. Thread-safe.
 */
final class OpenCalls implements Departures.Book {
    /** What is called by a name that no tool can have. */
    private static final ToolName MISNAMED = new ToolName(HostServices.BACKEND, "misnamed");

    private static final int LONGEST_NAME = 200;

    private static final ToolName PEOPLE = new ToolName(HostServices.BACKEND, HostServices.APPROVAL_REQUEST);

    private final Claim claim;
    private final Departures departures;
    private final EntryBuffer entries;
    private final CompletableFuture<SandboxSession> session;
    private final Executor tasks;
    private final RunWriter writer;
    private final HostCalls host;
    private final InstantSource clock;
    private final RunWatch watch;
    private final Earlier earlier;
    private final Map<Long, Call> open = new ConcurrentHashMap<>();
    /** New answers that came while old ones were still to be repeated. */
    private final Queue<Runnable> held = new ArrayDeque<>();

    private boolean stopped;
    /** After the stop: what is on its way still leaves, for whoever goes on to hear what came of it. */
    private boolean leaving;

    private volatile boolean called;

    /**
     * One of them.
     *
     * @param reply what comes of it, once it has left
     * @param effect whether it may be changing something by now
     */
    private record Call(
            ToolName tool, long startedNanos, @Nullable CompletionStage<ToolReply> reply, boolean effect) {
        Call(ToolName tool) {
            this(tool, System.nanoTime(), null, false);
        }

        Call left(CompletionStage<ToolReply> coming, boolean mayChange) {
            return new Call(tool, startedNanos, coming, mayChange);
        }

        long millis() {
            return (System.nanoTime() - startedNanos) / 1_000_000;
        }
    }

    /**
     * @param tasks runs what may take a while, one after the other
     * @param writer stores what is noted: before an effect leaves, and soon after an answer
     */
    OpenCalls(
            Claim claim,
            RunContext context,
            EntryBuffer entries,
            CompletableFuture<SandboxSession> session,
            Executor tasks,
            RunWriter writer,
            Earlier earlier,
            PlannedEffects plan) {
        this.claim = claim;
        this.departures = new Departures(claim, context, entries, tasks, writer, earlier, plan, this);
        this.entries = entries;
        this.session = session;
        this.tasks = tasks;
        this.writer = writer;
        this.earlier = earlier;
        this.host = new HostCalls(claim, context);
        this.clock = context.clock();
        this.watch = context.watch();
    }

    /** The script called. */
    synchronized void opened(long call, ToolName tool, String arguments) {
        if (tool.isWellFormed()) {
            made(call, tool, new Json(arguments));
        } else {
            // The trace could not tell such a name from another's: there it is a value.
            made(call, MISNAMED, named(tool));
        }
    }

    private static Json named(ToolName tool) {
        return new Json(JsonNodeFactory.instance
                .objectNode()
                .put("backend", shortened(tool.backend()))
                .put("tool", shortened(tool.tool()))
                .toString());
    }

    private static String shortened(String name) {
        return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "…";
    }

    private void made(long call, ToolName tool, Json json) {
        Json kept = HostTrace.kept(tool, json);
        Replay.Match match = earlier.replay().called(call, tool, kept);
        if (match instanceof Replay.Match.Diverged diverged) {
            earlier.diverged().accept(diverged.message());
            return;
        }
        called = true;
        departures.made(call, tool, kept);
        open.put(call, new Call(tool));
        if (match instanceof Replay.Match.Answered answered) {
            note(call, tool, kept, answered.noted(), true);
            keepAgain(call, tool, json);
            repeatAnswers();
        } else if (match instanceof Replay.Match.Repeated repeated) {
            note(call, tool, kept, repeated.noted(), true);
            keepAgain(call, tool, json);
            repeat(repeated.answer());
        } else if (match instanceof Replay.Match.NotRecorded missing) {
            note(call, tool, kept, missing.noted(), false);
            answer(call, ToolReply.local(Answers.notRecorded(call, tool)));
        } else {
            boolean again = match instanceof Replay.Match.Unanswered;
            entries.undecided();
            note(call, tool, kept, match instanceof Replay.Match.Unanswered before && before.noted(), false);
            tasks.execute(() -> begin(call, tool, json, again));
        }
    }

    private void note(long call, ToolName tool, Json arguments, boolean noted, boolean replayed) {
        if (!noted) {
            entries.started(call, tool, arguments, replayed);
        }
    }

    /** What it wrote for real in an earlier run came after all that is repeated: then that is there. */
    private void keepAgain(long call, ToolName tool, Json arguments) {
        if (claim.rerun().isPresent()
                && HostCalls.isKept(tool)
                && !earlier.replay().hasMade(tool)) {
            tasks.execute(() -> host.keepAgain(call, tool.tool(), arguments));
        }
    }

    private void repeatAnswers() {
        Replay replay = earlier.replay();
        for (Optional<Replay.Due> due = replay.next(); due.isPresent(); due = replay.next()) {
            give(due.get().answer(), due.get().noted());
        }
        if (replay.isOver()) {
            held.forEach(Runnable::run);
            held.clear();
        }
    }

    /** What an edited script is answered from the recording. */
    private synchronized void repeat(TraceEvent.ToolEnded answer) {
        if (!earlier.replay().isOver()) {
            held.add(() -> repeat(answer));
        } else if (!stopped) {
            give(answer, false);
        }
    }

    private void give(TraceEvent.ToolEnded answer, boolean noted) {
        open.remove(answer.call());
        if (!noted && departures.lists(answer)) {
            entries.listed(answer);
        } else if (!noted) {
            entries.repeated(answer);
        }
        session.thenAccept(live -> Answers.deliver(live, answer.call(), Answers.of(answer)));
    }

    private void begin(long call, ToolName tool, Json arguments, boolean again) {
        entries.deciding();
        Optional<CompletionStage<ToolReply>> carried =
                again ? earlier.inFlight().getOrDefault(call, Optional.empty()) : Optional.empty();
        if (carried.isPresent()) {
            adopt(call, carried.get());
        } else if (tool.equals(MISNAMED)) {
            answer(
                    call,
                    ToolReply.local(ToolResult.failure(
                            ToolErrorCode.TOOL_NOT_FOUND, "there is no tool of that name: " + arguments.text())));
        } else if (tool.equals(PEOPLE)) {
            departures.request(call, tool, arguments);
        } else if (tool.backend().equals(HostServices.BACKEND)) {
            if (!tool.tool().equals(HostServices.EVENT_EMIT) || departures.mayEmit(call, tool, arguments)) {
                ask(call, tool.tool(), arguments);
            }
        } else {
            // What is known not to have left on this node was journaled, and no more.
            departures.depart(
                    call, tool, arguments, again && !earlier.inFlight().containsKey(call));
        }
    }

    private void adopt(long call, CompletionStage<ToolReply> coming) {
        if (open.computeIfPresent(call, (any, waiting) -> waiting.left(coming, true)) != null) {
            coming.thenAccept(reply -> answer(call, reply));
        }
    }

    private void ask(long call, String service, Json arguments) {
        if (HostCalls.isEffect(service) && !writer.beforeEffect() || !open.containsKey(call)) {
            return;
        }
        try {
            Instant madeAt = earlier.replay().madeAt(call).orElseGet(clock::instant);
            host.answer(call, service, arguments, madeAt).thenAccept(result -> answer(call, ToolReply.local(result)));
        } catch (StoreUnavailableException e) {
            answer(
                    call,
                    ToolReply.local(ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE, "the database does not answer; try again later")));
        }
    }

    @Override
    public boolean isOpen(long call) {
        return open.containsKey(call);
    }

    @Override
    public synchronized boolean mayLeave(long call) {
        return (!stopped || leaving) && open.containsKey(call);
    }

    @Override
    public synchronized boolean left(long call, CompletionStage<ToolReply> coming, boolean mayChange) {
        return (!stopped || leaving)
                && open.computeIfPresent(call, (any, waiting) -> waiting.left(coming, mayChange)) != null;
    }

    @Override
    public void postpone(long call) {
        session.thenAccept(live -> live.postpone(call));
    }

    /**
     * Tells the sandbox of calls that have waited for {@code age} that their answers take long. Answers of tools come to this
     * node; what may wake a script anywhere keeps it from being parked for them.
     */
    void postponeLong(Duration age) {
        Map<Long, HostCalls.Awaited> events = host.waiting();
        boolean tools = open.values().stream().anyMatch(waiting -> waiting.reply() != null);
        if (tools && (patience().isPresent() || !events.isEmpty())) {
            return;
        }
        open.forEach((call, waiting) -> {
            if ((waiting.reply() != null || events.containsKey(call)) && waiting.millis() >= age.toMillis()) {
                postpone(call);
            }
        });
    }

    /**
     * After {@link #stop}: what the script waits for; empty when something of that is here already.
     *
     * @param timer until its first timer is due, 0 when it has none
     */
    synchronized Optional<Waits> waits(Duration timer) {
        Map<Long, HostCalls.Awaited> events = host.waiting();
        Map<Long, CompletionStage<ToolReply>> answers = new HashMap<>();
        for (Map.Entry<Long, Call> each : open.entrySet()) {
            CompletionStage<ToolReply> reply = each.getValue().reply();
            if (reply != null) {
                answers.put(each.getKey(), reply);
            } else if (each.getValue().tool().backend().equals(HostServices.BACKEND)
                    && !events.containsKey(each.getKey())
                    && !departures.consents().waitsFor(each.getKey())) {
                return Optional.empty();
            }
        }
        Waits waits = new Waits(timer, patience(), List.copyOf(events.values()), answers);
        return anyDecided() || waits.mixed() || waits.answered() ? Optional.empty() : Optional.of(waits);
    }

    /** Until when people have time for what they are asked; empty when they are asked nothing. */
    Optional<Instant> patience() {
        return departures.consents().patience();
    }

    /** Whether a call that people have decided on is under way: then there is more to come than what it was parked for. */
    boolean anyDecided() {
        return departures.consents().anyUnderWay();
    }

    /** Looks whether people have decided meanwhile. Waits for the store. */
    void look() {
        departures.consents().look();
    }

    @Override
    public void answer(long call, ToolReply reply) {
        Failpoint.REPLY_HEARD.reached(call);
        // Noted and delivered under one lock: the order in the journal is the order in which the script hears.
        synchronized (this) {
            if (stopped) {
                return;
            }
            if (!earlier.replay().isOver()) {
                held.add(() -> answer(call, reply));
                return;
            }
            Call answered = open.remove(call);
            if (answered == null) {
                return;
            }
            entries.ended(call, answered.tool(), answered.millis(), reply);
            watch.listener().answered(answered.tool(), reply.result(), Duration.ofMillis(answered.millis()));
            session.thenAccept(live -> Answers.deliver(live, call, reply.result()));
        }
        // Nothing else may come for long, and people watch.
        writer.soon();
    }

    /**
     * The session is over: nothing is answered any more.
     *
     * @param leave whether what is on its way may leave; not when nobody goes on
     */
    synchronized void stop(boolean leave) {
        stopped = true;
        leaving = leave;
        host.close();
    }

    /** Whether the script has made a call. */
    boolean any() {
        return called;
    }

    /** A call of earlier runs that this one did not make. */
    synchronized Optional<String> missed() {
        return earlier.replay().missed();
    }

    /** After {@link #stop}: calls without an answer, for the run that follows on this node; empty for one that never left. */
    synchronized Map<Long, Optional<CompletionStage<ToolReply>>> inFlight() {
        Map<Long, Optional<CompletionStage<ToolReply>>> all = new HashMap<>();
        open.forEach((call, waiting) -> all.put(call, Optional.ofNullable(waiting.reply())));
        return all;
    }

    /** After {@link #stop}: when all that may be changing something is answered, after {@code most} at the latest. */
    synchronized CompletableFuture<Void> effectsAnswered(Duration most) {
        CompletableFuture<?>[] effects = open.values().stream()
                .filter(Call::effect)
                .flatMap(waiting -> Stream.ofNullable(waiting.reply()))
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(effects).completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** After {@link #stop}, when a run follows elsewhere: it is told what came too late for this one. */
    synchronized void noteAnswers() {
        new TreeMap<>(open).forEach((call, waiting) -> {
            CompletionStage<ToolReply> coming = waiting.reply();
            ToolReply reply =
                    coming == null ? null : coming.toCompletableFuture().getNow(null);
            if (reply != null) {
                open.remove(call);
                entries.ended(call, waiting.tool(), waiting.millis(), reply);
                watch.listener().answered(waiting.tool(), reply.result(), Duration.ofMillis(waiting.millis()));
            }
        });
    }

    /**
     * After {@link #stop}, when a run follows elsewhere: it asks again what may be asked again. Under the same ids, so nothing
     * is withdrawn here: connectors would refuse what they heard withdrawn.
     */
    synchronized void forget() {
        open.clear();
    }

    /**
     * After {@link #stop}, when no run follows: the trace says of calls still open that they were cancelled, or that they may
     * have happened.
     *
     * @return these calls, to be withdrawn once that is stored
     */
    synchronized List<CallId> close() {
        List<CallId> closing = new ArrayList<>();
        ToolReply cancelled = ToolReply.local(
                ToolResult.failure(ToolErrorCode.CANCELLED, "the run ended before the call was answered"));
        ToolReply unknown = ToolReply.local(Answers.unknown("the run ended before the call was answered"));
        open.keySet().stream().sorted().forEach(call -> {
            Call closed = open.remove(call);
            if (closed != null) {
                ToolReply late = closed.reply() == null
                        ? cancelled
                        : closed.reply().toCompletableFuture().getNow(closed.effect() ? unknown : cancelled);
                entries.ended(call, closed.tool(), closed.millis(), late);
                closing.add(id(call));
            }
        });
        return closing;
    }

    private CallId id(long call) {
        return new CallId(claim.fence().id().toString(), call);
    }
}
