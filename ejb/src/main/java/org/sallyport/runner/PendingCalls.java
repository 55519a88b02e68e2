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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.JournalReplay;
import org.sallyport.journal.OmittedArguments;
import org.sallyport.journal.ReplyPosition;
import org.sallyport.journal.ReplyWindow;
import org.sallyport.journal.TraceEvent;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Registers the calls of one execution that have no reply yet: journals them, delivers their replies, and keeps the
 * order. Replies of earlier runs are delivered again before any new reply. Thread-safe.
 */
final class PendingCalls implements ToolCallDispatcher.PendingCallRegistry {
    /** Stands in the journal for a call whose tool name is not well-formed, or is longer than that of any tool. */
    private static final ToolName INVALID_TOOL = new ToolName(HostServices.BACKEND, "misnamed");

    private static final int MAX_NAME_LENGTH = 400;
    private static final int MAX_SHOWN_NAME_LENGTH = 200;

    private static final ToolName APPROVAL_TOOL = new ToolName(HostServices.BACKEND, HostServices.APPROVAL_REQUEST);

    private final ClaimedExecution claim;
    private final EngineServices context;
    private final ToolCallDispatcher dispatcher;
    private final JournalBuffer entries;
    private final JournalLimit journalLimit;
    private final ArgumentMemory argumentMemory;
    private final CompletableFuture<SandboxSession> session;
    private final Executor tasks;
    private final JournalWriter writer;
    private final HostServiceCalls host;
    private final InstantSource clock;
    private final RunMetricsListener metricsListener;
    private final ReplayContext replayContext;
    private final Map<Long, PendingCallEntry> open = new ConcurrentHashMap<>();
    /** Open calls that are refused because their tools are not granted. */
    private final Set<Long> notGranted = ConcurrentHashMap.newKeySet();
    /**
     * New replies that arrived while recorded replies are still being delivered, or while too many entries are
     * unwritten.
     */
    private final Queue<Runnable> deferredReplies = new ArrayDeque<>();

    /** Whether replies wait for a write. */
    private volatile boolean repliesAwaitWrite;
    /** Whether a task reads the next replies of earlier runs. */
    private boolean readsReplies;
    /** Whether all recorded replies have been delivered. Guarded by this. */
    private boolean replayed;

    private boolean stopped;
    /**
     * Whether calls that are being dispatched at the stop are still sent, so that a later run can receive their
     * replies.
     */
    private boolean sendsAfterStop;

    private volatile boolean called;

    /**
     * One open call.
     *
     * @param reply completes with the reply; null until the call is sent
     * @param mayHaveEffect whether the call may have an effect by now
     */
    private record PendingCallEntry(
            ToolName tool, long startedNanos, @Nullable CompletionStage<ToolReply> reply, boolean mayHaveEffect) {
        PendingCallEntry(ToolName tool) {
            this(tool, System.nanoTime(), null, false);
        }

        PendingCallEntry withReply(CompletionStage<ToolReply> coming, boolean mayChange) {
            return new PendingCallEntry(tool, startedNanos, coming, mayChange);
        }

        PendingCallEntry withPossibleEffect() {
            return new PendingCallEntry(tool, startedNanos, reply, true);
        }

        long millis() {
            return (System.nanoTime() - startedNanos) / 1_000_000;
        }
    }

    /**
     * @param tasks runs work that may take a while, one task at a time
     * @param writer stores journal entries: before an effect is sent, and soon after a reply
     */
    PendingCalls(
            ClaimedExecution claim,
            EngineServices context,
            JournalBuffer entries,
            CompletableFuture<SandboxSession> session,
            Executor tasks,
            JournalWriter writer,
            ReplayContext earlier,
            PlanGuard plan) {
        this.claim = claim;
        this.context = context;
        this.dispatcher = new ToolCallDispatcher(claim, context, entries, tasks, writer, earlier, plan, this);
        this.entries = entries;
        this.journalLimit = new JournalLimit(claim, context, entries);
        this.argumentMemory = new ArgumentMemory(
                context.memory().arguments(),
                claim.tenant(),
                context.tenantExecutors().of(claim.tenant()));
        this.session = session;
        this.tasks = tasks;
        this.writer = writer;
        this.replayContext = earlier;
        this.replayed = earlier.replay().isComplete();
        this.host = new HostServiceCalls(claim, context);
        this.clock = context.clock();
        this.metricsListener = context.metricsListener();
        writer.setWrittenListener(this::onEntriesWritten);
    }

    private void onEntriesWritten() {
        if (repliesAwaitWrite) {
            tasks.execute(this::deliverWaitingReplies);
        }
    }

    private synchronized void deliverWaitingReplies() {
        repliesAwaitWrite = false;
        if (!stopped) {
            deliverReplayedReplies();
        }
    }

    /** Returns whether a new reply may be delivered now. */
    private boolean canDeliver() {
        return replayContext.replay().isComplete() && !awaitsWrite();
    }

    /** Returns whether replies must wait for a write, after which {@link #onEntriesWritten} continues. */
    private boolean awaitsWrite() {
        if (!entries.isFull()) {
            return false;
        }
        repliesAwaitWrite = true;
        // The write may have ended in between.
        boolean full = entries.isFull();
        if (full) {
            writer.scheduleFlush();
        }
        return full;
    }

    /**
     * Reserves memory for the arguments of the next call. The stage completes when the script may make the call; it
     * fails if the run ends before.
     */
    CompletionStage<?> reserveArguments(long call, int chars) {
        return isOnlyCompared(call) ? CompletableFuture.completedStage(null) : argumentMemory.reserve(call, chars);
    }

    /**
     * Returns whether the arguments of a call are only compared with those in the journal, because it has a recorded
     * reply, or because an earlier run has sent it and still holds its arguments. They are dropped at once, so such a
     * call needs no reservation. A replay therefore waits neither for other runs nor for calls of its own.
     */
    private synchronized boolean isOnlyCompared(long call) {
        return replayContext.replay().isAnswered(call) && !mayRepeatArtifactWrite(call)
                || findCarriedReply(call).isPresent();
    }

    /** A re-run writes the artifacts of recorded calls, and so needs their content. */
    private boolean mayRepeatArtifactWrite(long call) {
        return claim.rerun().isPresent()
                && replayContext
                        .replay()
                        .findTool(call)
                        .filter(HostServiceCalls::isArtifactWrite)
                        .isPresent();
    }

    /** Returns the pending reply to a call that an earlier run on this node has sent. */
    private Optional<CompletionStage<ToolReply>> findCarriedReply(long call) {
        return replayContext.inFlight().getOrDefault(call, Optional.empty());
    }

    /** Registers a call that the script has made. */
    synchronized void callStarted(long call, ToolName tool, String arguments) {
        if (tool.isWellFormed()
                && tool.backend().length() <= MAX_NAME_LENGTH
                && tool.tool().length() <= MAX_NAME_LENGTH) {
            registerCall(call, tool, new Json(arguments));
        } else {
            // In the trace, a malformed name could be confused with another tool's name, and a long one could fill the
            // journal. Its beginning is recorded as an argument instead.
            registerCall(call, INVALID_TOOL, invalidNameArguments(tool));
        }
    }

    private static Json invalidNameArguments(ToolName tool) {
        return new Json(JsonNodeFactory.instance
                .objectNode()
                .put("backend", PlainText.shorten(tool.backend(), MAX_SHOWN_NAME_LENGTH))
                .put("tool", PlainText.shorten(tool.tool(), MAX_SHOWN_NAME_LENGTH))
                .toString());
    }

    private void registerCall(long call, ToolName tool, Json json) {
        Json traced = HostCallTrace.withContentHash(tool, json);
        JournalReplay.CallMatch match = replayContext.replay().matchCall(call, tool, traced);
        if (match instanceof JournalReplay.CallMatch.DivergedCall diverged) {
            replayContext.onDivergence().accept(diverged.message());
            return;
        }
        // The journal refuses only calls that are new to it: a call of an earlier run stays refused or sent.
        boolean omitted = isNewToJournal(match)
                ? !journalLimit.hasRoomFor(traced)
                : replayContext.replay().omitsArguments(call, traced);
        Json kept = omitted ? OmittedArguments.of(traced) : traced;
        called = true;
        dispatcher.recordCall(call, tool, kept);
        open.put(call, new PendingCallEntry(tool));
        if (match instanceof JournalReplay.CallMatch.AnsweredCall answered) {
            journalCallStart(call, tool, kept, answered.journaled(), true);
            repeatArtifactWrite(call, tool, json, omitted);
            deliverReplayedReplies();
        } else if (match instanceof JournalReplay.CallMatch.RepeatedCall repeated) {
            journalCallStart(call, tool, kept, repeated.journaled(), true);
            repeatArtifactWrite(call, tool, json, omitted);
            ReplyPosition position = repeated.answer();
            replayContext
                    .replay()
                    .takeReply(position)
                    .ifPresentOrElse(
                            this::deliverRecordedReply, () -> tasks.execute(() -> readRecordedReply(position)));
        } else if (match instanceof JournalReplay.CallMatch.UnrecordedCall missing) {
            journalCallStart(call, tool, kept, missing.journaled(), false);
            answer(call, ToolReply.local(ToolResults.notRecorded(call, tool)));
        } else if (omitted) {
            journalCallStart(call, tool, kept, !isNewToJournal(match), false);
            answer(call, journalLimit.refusal(tool));
        } else {
            boolean unanswered = match instanceof JournalReplay.CallMatch.UnansweredCall;
            entries.beginDecision();
            journalCallStart(
                    call,
                    tool,
                    kept,
                    match instanceof JournalReplay.CallMatch.UnansweredCall before && before.journaled(),
                    false);
            tasks.execute(() -> dispatchCall(call, tool, json, unanswered));
        }
    }

    /** Returns whether the call is neither in the execution's own journal nor replayed from a recording. */
    private static boolean isNewToJournal(JournalReplay.CallMatch match) {
        return match instanceof JournalReplay.CallMatch.NewCall
                || match instanceof JournalReplay.CallMatch.UnansweredCall before && !before.journaled()
                || match instanceof JournalReplay.CallMatch.UnrecordedCall missing && !missing.journaled();
    }

    private void journalCallStart(long call, ToolName tool, Json arguments, boolean noted, boolean replayed) {
        if (!noted) {
            entries.addCallStart(call, tool, arguments, replayed);
        }
    }

    /**
     * Writes an artifact again in a re-run, because the recorded reply alone does not create it. Not needed if an
     * earlier run of this execution has called the tool itself: it did so after all repeated calls, so their artifacts
     * exist.
     *
     * @param refused whether the recording had no room for the call, so that the artifact was not written
     */
    private void repeatArtifactWrite(long call, ToolName tool, Json arguments, boolean refused) {
        if (!refused
                && claim.rerun().isPresent()
                && HostServiceCalls.isArtifactWrite(tool)
                && !replayContext.replay().hasCalled(tool)) {
            tasks.execute(() -> {
                host.repeatArtifactWrite(call, tool.tool(), arguments);
                argumentMemory.release(call);
            });
        } else {
            argumentMemory.release(call);
        }
    }

    private void deliverReplayedReplies() {
        JournalReplay replay = replayContext.replay();
        boolean missesReply = false;
        while (replay.isReplyDue() && !missesReply && !awaitsWrite()) {
            Optional<JournalReplay.DueReply> due = replay.nextReply();
            due.ifPresent(reply -> deliverReply(reply.answer(), reply.journaled()));
            missesReply = due.isEmpty();
        }
        if (missesReply && !readsReplies) {
            readsReplies = true;
            List<ReplyPosition> missing = replay.missingReplies();
            tasks.execute(() -> readReplies(missing));
        }
        while (!deferredReplies.isEmpty() && canDeliver()) {
            deferredReplies.remove().run();
        }
        // Not after the stop: the next run of this execution may have begun.
        if (!replayed && !stopped && replay.isComplete()) {
            replayed = true;
            replayContext.onComplete().run();
        }
    }

    /** Reads the next replies of a journal that is too long to be in memory. Waits for the store. */
    private void readReplies(List<ReplyPosition> missing) {
        Optional<Map<ReplyPosition, TraceEvent.ToolEnded>> read = readWhileRunning(missing);
        synchronized (this) {
            readsReplies = false;
            if (read.isPresent() && !stopped) {
                replayContext.replay().addReplies(read.get());
                deliverReplayedReplies();
            }
        }
    }

    /** Reads the reply to a call of an edited script. Waits for the store. */
    private void readRecordedReply(ReplyPosition position) {
        readWhileRunning(List.of(position)).map(read -> read.get(position)).ifPresent(this::deliverRecordedReply);
    }

    /** Returns empty when the run stops meanwhile, or because the recording that it repeats is gone. */
    private Optional<Map<ReplyPosition, TraceEvent.ToolEnded>> readWhileRunning(List<ReplyPosition> positions) {
        ReplyPosition first = positions.get(0);
        Optional<Map<ReplyPosition, TraceEvent.ToolEnded>> read = StoreRetry.callWhileUnavailable(
                () -> ReplyWindow.read(context.journal()::readEntries, positions), () -> !isAwaited(first.call()));
        if (read.isEmpty() || !read.get().isEmpty()) {
            return read;
        }
        if (first.execution().equals(claim.fence().id())) {
            throw new IllegalStateException("the reply at " + first + " is not stored any more");
        }
        replayContext.onRecordingGone().run();
        return Optional.empty();
    }

    /** Delivers a recorded reply to a call of an edited script. */
    private synchronized void deliverRecordedReply(TraceEvent.ToolEnded answer) {
        if (!canDeliver()) {
            deferredReplies.add(() -> deliverRecordedReply(answer));
        } else if (!stopped) {
            deliverReply(answer, false);
        }
    }

    private void deliverReply(TraceEvent.ToolEnded answer, boolean noted) {
        open.remove(answer.call());
        if (!noted && dispatcher.isListedInPlan(answer)) {
            entries.addReplayedPlanStep(answer);
        } else if (!noted) {
            entries.addReplayedReply(answer);
        }
        session.thenAccept(live -> ToolResults.deliver(live, answer.call(), ToolResults.of(answer)));
    }

    private void dispatchCall(long call, ToolName tool, Json arguments, boolean unanswered) {
        entries.endDecision();
        Optional<CompletionStage<ToolReply>> carried = unanswered ? findCarriedReply(call) : Optional.empty();
        if (carried.isPresent()) {
            awaitInFlightReply(call, carried.get());
        } else if (tool.equals(INVALID_TOOL)) {
            answer(
                    call,
                    ToolReply.local(ToolResult.failure(
                            ToolErrorCode.TOOL_NOT_FOUND, "there is no tool of that name: " + arguments.text())));
        } else if (tool.equals(APPROVAL_TOOL)) {
            dispatcher.requestApproval(call, tool, arguments);
        } else if (tool.backend().equals(HostServices.BACKEND)) {
            if (!tool.tool().equals(HostServices.EVENT_EMIT) || dispatcher.mayEmit(call, tool, arguments)) {
                callHostService(call, tool.tool(), arguments);
            }
        } else {
            // A call that this node is known not to have sent was only journaled, so it counts as new.
            dispatcher.dispatch(
                    call,
                    tool,
                    arguments,
                    unanswered && !replayContext.inFlight().containsKey(call));
        }
    }

    private void awaitInFlightReply(long call, CompletionStage<ToolReply> coming) {
        if (open.computeIfPresent(call, (any, waiting) -> waiting.withReply(coming, true)) != null) {
            coming.thenAccept(reply -> answer(call, reply));
        }
    }

    private void callHostService(long call, String service, Json arguments) {
        boolean effect = HostServiceCalls.isEffect(service);
        if (effect && !writer.flushBeforeEffect() || !open.containsKey(call)) {
            return;
        }
        Instant madeAt = replayContext.replay().calledAt(call).orElseGet(clock::instant);
        if (effect) {
            // The effect may be stored without an answer. The store keeps one for each call, so that this call tries
            // again: another call of the script would have a second effect.
            StoreRetry.runWhileUnavailable(
                    () -> callHostEffect(call, service, arguments, madeAt), () -> !isAwaited(call));
            return;
        }
        try {
            host.answer(call, service, arguments, madeAt).thenAccept(result -> answer(call, ToolReply.local(result)));
        } catch (StoreUnavailableException e) {
            answer(
                    call,
                    ToolReply.local(ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE, "the database does not answer; try again later")));
        }
    }

    private void callHostEffect(long call, String service, Json arguments, Instant madeAt) {
        open.computeIfPresent(call, (any, waiting) -> waiting.withPossibleEffect());
        CompletionStage<ToolReply> coming =
                host.answer(call, service, arguments, madeAt).thenApply(ToolReply::local);
        // If the run has ended meanwhile, its trace gets this reply.
        open.computeIfPresent(call, (any, waiting) -> waiting.withReply(coming, true));
        coming.thenAccept(reply -> answer(call, reply));
    }

    /** Whether this run still waits for the reply: a later run makes the call again, with the same id. */
    private synchronized boolean isAwaited(long call) {
        return !stopped && open.containsKey(call);
    }

    @Override
    public boolean isOpen(long call) {
        return open.containsKey(call);
    }

    @Override
    public synchronized boolean canSend(long call) {
        return (!stopped || sendsAfterStop) && open.containsKey(call);
    }

    @Override
    public synchronized boolean markSent(long call, CompletionStage<ToolReply> coming, boolean mayChange) {
        return (!stopped || sendsAfterStop)
                && open.computeIfPresent(call, (any, waiting) -> waiting.withReply(coming, mayChange)) != null;
    }

    @Override
    public void markNotGranted(long call) {
        notGranted.add(call);
    }

    @Override
    public void argumentsStored(long call) {
        argumentMemory.release(call);
    }

    @Override
    public boolean dropArguments(long call) {
        return argumentMemory.release(call);
    }

    @Override
    public boolean tryReserveDropped(long call, int chars) {
        CompletableFuture<?> memory = argumentMemory.reserve(call, chars).toCompletableFuture();
        return memory.isDone() && !memory.isCompletedExceptionally();
    }

    @Override
    public void postpone(long call) {
        session.thenAccept(live -> live.postpone(call));
    }

    /**
     * Tells the sandbox which calls have waited for at least {@code age}, so that it may park the script. Replies of
     * tools arrive only at this node, whereas approvals and events can resume a script on any node: if the script waits
     * for both kinds, no call is reported.
     */
    void postponeLongWaits(Duration age) {
        Map<Long, HostServiceCalls.PendingEventWait> events = host.pendingEventWaits();
        boolean tools = open.values().stream().anyMatch(waiting -> waiting.reply() != null);
        if (tools && (earliestApprovalExpiry().isPresent() || !events.isEmpty())) {
            return;
        }
        open.forEach((call, waiting) -> {
            if ((waiting.reply() != null || events.containsKey(call)) && waiting.millis() >= age.toMillis()) {
                postpone(call);
            }
        });
    }

    /**
     * After {@link #stop}: returns the conditions that the script waits for. Empty when the script cannot be parked: a
     * condition is already satisfied, a host service call or a call with a decided approval has no reply yet, or the
     * script must stay on this node. A condition is also satisfied if a reply was delivered too late for the session:
     * the session has parked without it.
     */
    synchronized Optional<WaitConditions> waitConditions(SessionResult.SessionParked parked) {
        if (!open.keySet().containsAll(parked.openCalls())) {
            return Optional.empty();
        }
        Map<Long, HostServiceCalls.PendingEventWait> events = host.pendingEventWaits();
        Map<Long, CompletionStage<ToolReply>> answers = new HashMap<>();
        for (Map.Entry<Long, PendingCallEntry> each : open.entrySet()) {
            CompletionStage<ToolReply> reply = each.getValue().reply();
            if (reply != null) {
                answers.put(each.getKey(), reply);
            } else if (each.getValue().tool().backend().equals(HostServices.BACKEND)
                    && !events.containsKey(each.getKey())
                    && !dispatcher.approvals().isAwaitingApproval(each.getKey())) {
                return Optional.empty();
            }
        }
        WaitConditions waits = new WaitConditions(
                Duration.ofMillis(parked.millisToFirstTimer()),
                earliestApprovalExpiry(),
                List.copyOf(events.values()),
                answers);
        return hasDecidedCall() || waits.needsThisNode() || waits.hasReply() ? Optional.empty() : Optional.of(waits);
    }

    /** Returns the earliest expiry of the open approvals; empty when there are none. */
    Optional<Instant> earliestApprovalExpiry() {
        return dispatcher.approvals().earliestExpiry();
    }

    /**
     * Returns whether a call with a decided approval has no reply yet. If so, the script would be resumed by more than
     * the conditions it was parked for.
     */
    boolean hasDecidedCall() {
        return dispatcher.approvals().hasDecidedCall();
    }

    /** Returns whether an approval is open or queued. */
    boolean awaitsApprovals() {
        return dispatcher.approvals().isAwaitingAny();
    }

    /** Polls the store for decisions on open approvals. Waits for the store. */
    void pollDecisions() {
        dispatcher.approvals().pollDecisions();
    }

    @Override
    public void answer(long call, ToolReply received) {
        Failpoint.REPLY_HEARD.reached(call);
        argumentMemory.release(call);
        ToolReply reply = ToolResults.withExactNumbers(received);
        // Journal and deliver under one lock: the order in the journal is the order in which the script receives
        // replies.
        synchronized (this) {
            if (stopped) {
                return;
            }
            if (!canDeliver()) {
                deferReply(call, reply);
                return;
            }
            PendingCallEntry answered = open.remove(call);
            if (answered == null) {
                return;
            }
            ToolReply kept = journalLimit.fit(answered.tool(), reply);
            if (notGranted.remove(call)) {
                String shownName = context.redactionProvider()
                        .cachedRedactorFor(claim.tenant())
                        .redact(answered.tool().toString());
                entries.addRefusedCallEnd(call, answered.tool(), shownName, answered.millis(), kept);
            } else {
                entries.addCallEnd(call, answered.tool(), answered.millis(), kept);
            }
            metricsListener
                    .observer()
                    .onCallAnswered(answered.tool(), kept.result(), Duration.ofMillis(answered.millis()));
            session.thenAccept(live -> ToolResults.deliver(live, call, kept.result()));
        }
        // Flush soon: no other entry may follow for a long time, and users watch the trace.
        writer.scheduleFlush();
    }

    private void deferReply(long call, ToolReply reply) {
        long bytes = ToolResults.memoryBytes(reply);
        entries.memory().addWaitingReply(bytes);
        deferredReplies.add(() -> {
            answer(call, reply);
            entries.memory().removeWaitingReply(bytes);
        });
    }

    /**
     * Marks the session as ended. No reply is delivered to the script from now on.
     *
     * @param maySend whether calls that are being dispatched may still be sent; false when no later run continues the
     *     execution
     */
    synchronized void stop(boolean maySend) {
        stopped = true;
        sendsAfterStop = maySend;
        host.close();
        Map<Long, CompletionStage<ToolReply>> sent = new HashMap<>();
        open.forEach((call, waiting) -> {
            CompletionStage<ToolReply> reply = waiting.reply();
            if (reply != null) {
                sent.put(call, reply);
            }
        });
        argumentMemory.close(sent);
    }

    /** Returns whether the script has made a call. */
    boolean hasCalled() {
        return called;
    }

    /** Returns a description of the first call of earlier runs that this run did not make; empty when there is none. */
    synchronized Optional<String> firstUnmatchedCall() {
        return replayContext.replay().firstUnmatchedCall();
    }

    /**
     * After {@link #stop}: returns the open calls with their pending replies, for the next run on this node. The value
     * is empty for a call that was never sent.
     */
    synchronized Map<Long, Optional<CompletionStage<ToolReply>>> inFlight() {
        Map<Long, Optional<CompletionStage<ToolReply>>> all = new HashMap<>();
        open.forEach((call, waiting) -> all.put(call, Optional.ofNullable(waiting.reply())));
        return all;
    }

    /**
     * After {@link #stop}: returns a future that completes when all sent calls that may have an effect are answered, or
     * after {@code timeout}.
     */
    synchronized CompletableFuture<Void> effectsAnswered(Duration timeout) {
        CompletableFuture<?>[] effects = open.values().stream()
                .filter(PendingCallEntry::mayHaveEffect)
                .flatMap(waiting -> Stream.ofNullable(waiting.reply()))
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(effects).completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * After {@link #stop}, when another run follows: journals replies that arrived too late for this run, so that the
     * next run receives them.
     */
    synchronized void journalReplies() {
        new TreeMap<>(open).forEach((call, waiting) -> {
            CompletionStage<ToolReply> coming = waiting.reply();
            ToolReply received =
                    coming == null ? null : coming.toCompletableFuture().getNow(null);
            if (received != null) {
                ToolReply reply = journalLimit.fit(waiting.tool(), ToolResults.withExactNumbers(received));
                open.remove(call);
                entries.addCallEnd(call, waiting.tool(), waiting.millis(), reply);
                metricsListener
                        .observer()
                        .onCallAnswered(waiting.tool(), reply.result(), Duration.ofMillis(waiting.millis()));
            }
        });
    }

    /**
     * After {@link #stop}, when another run follows: forgets all open calls. The next run repeats the repeatable ones
     * under the same ids. For that reason this method cancels no call: connectors would refuse an id that was
     * cancelled.
     */
    synchronized void clear() {
        open.clear();
    }

    /**
     * After {@link #stop}, when no run follows: records in the trace that each open call was cancelled, or that its
     * outcome is unknown.
     *
     * @return the calls that the caller must cancel once the trace is stored
     */
    synchronized List<CallId> close() {
        List<CallId> closing = new ArrayList<>();
        ToolReply cancelled = ToolReply.local(
                ToolResult.failure(ToolErrorCode.CANCELLED, "the run ended before the call was answered"));
        ToolReply unknown = ToolReply.local(ToolResults.outcomeUnknown("the run ended before the call was answered"));
        open.keySet().stream().sorted().forEach(call -> {
            PendingCallEntry closed = open.remove(call);
            if (closed != null) {
                ToolReply unanswered = closed.mayHaveEffect() ? unknown : cancelled;
                ToolReply late = closed.reply() == null
                        ? unanswered
                        : closed.reply().toCompletableFuture().getNow(unanswered);
                ToolReply reply = journalLimit.fit(closed.tool(), ToolResults.withExactNumbers(late));
                entries.addCallEnd(call, closed.tool(), closed.millis(), reply);
                closing.add(id(call));
            }
        });
        return closing;
    }

    private CallId id(long call) {
        return new CallId(claim.fence().id().toString(), call);
    }
}
