package org.sallyport.bridge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.secret.Redactor;
import org.sallyport.secret.ToolResultRedactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Sends calls that others of their batch make as well once: whoever asks the same meanwhile, or after it, hears the same answer. A call that is not
 * answered well is nobody's but its own: the others are sent then, each by itself; when it was only cancelled, the next of them for all. Keeps what it heard in this process, so much and so long that
 * it need not be asked for again at once, and no longer than the batch lives. Calls that are sent without a {@link SharedReadKey} pay nothing.
 * Thread-safe.
 */
public final class SharedReadToolBridge implements ToolBridge {
    private static final Logger LOG = System.getLogger(SharedReadToolBridge.class.getName());
    /** Of each answer, besides its text. */
    private static final int ENTRY_OVERHEAD_BYTES = 512;
    /** What is larger than this part of all is given to those who wait, and not kept. */
    private static final int MAX_ENTRY_FRACTION = 8;
    /** A batch that has asked for so long nothing may be over. */
    private static final Duration IDLE_CHECK_DELAY = Duration.ofSeconds(5);

    /** Never sent. */
    private static final ToolReply CANCELLED =
            new ToolReply(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"), 0, 0, 0);

    private final ToolBridge tools;
    private final Executor executor;
    private final InstantSource clock;
    private final Function<String, Redactor> redactors;
    private final long maxBytes;
    private final Duration maxAge;
    private final Map<SharedReadKey, List<WaitingRead>> inFlight = new HashMap<>();
    private final Map<BatchId, BatchReadCache> batchCaches = new HashMap<>();
    private final Map<CallId, WaitingRead> waitingReads = new ConcurrentHashMap<>();
    private long bytes;

    /**
     * @param executor tells those who wait, one by one
     * @param redactions what must not be seen by a tenant
     * @param mostBytes how much is kept in all
     * @param mostAge how long an answer is given to others
     */
    public SharedReadToolBridge(
            ToolBridge tools,
            Executor executor,
            InstantSource clock,
            Function<String, Redactor> redactions,
            long mostBytes,
            Duration mostAge) {
        this.tools = tools;
        this.executor = executor;
        this.clock = clock;
        this.redactors = redactions;
        this.maxBytes = mostBytes;
        this.maxAge = mostAge;
    }

    /** A call that waits for what another is answered. Each is itself only: a second one of that id may follow. */
    private static final class WaitingRead {
        private final ToolCall call;
        /** As long as a call may take, from when it is sent. */
        private final Duration timeout;

        private final CompletableFuture<ToolReply> reply = new CompletableFuture<>();
        private volatile boolean sent;

        WaitingRead(ToolCall call, Instant now) {
            this.call = call;
            this.timeout = Duration.between(now, call.deadline());
        }
    }

    /** What a call was answered, and when. */
    private record CachedRead(CallId callId, ToolResult.ToolSuccess result, Instant answeredAt, long bytes) {}

    /** What one batch has heard, the oldest first. */
    private static final class BatchReadCache {
        private final Map<SharedReadKey, CachedRead> answers = new LinkedHashMap<>();
        private long bytes;
        private Instant nextCheckAt = Instant.MIN;
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        return tools.send(call);
    }

    /**
     * As {@link #send(ToolCall)}, unless another asks or has asked {@code question}; then {@link ToolReply#sharedFrom} names that. Whoever asks has been judged
     * like any other: this knows nothing of grants and rules.
     */
    public CompletionStage<ToolReply> send(SharedReadKey question, ToolCall call) {
        WaitingRead one = new WaitingRead(call, clock.instant());
        CachedRead known;
        synchronized (this) {
            known = findCached(question);
            if (known == null) {
                List<WaitingRead> others = inFlight.get(question);
                if (others != null) {
                    others.add(one);
                    waitingReads.put(call.id(), one);
                    return one.reply;
                }
                inFlight.put(question, new ArrayList<>());
            }
        }
        return known == null ? sendLeader(question, call) : CompletableFuture.completedStage(toReply(known, call));
    }

    private CompletionStage<ToolReply> sendLeader(SharedReadKey question, ToolCall call) {
        CompletionStage<ToolReply> coming;
        try {
            coming = tools.send(call);
        } catch (RuntimeException e) {
            deliver(question, Optional.empty());
            throw e;
        }
        coming.thenAccept(reply -> onLeaderReply(question, call, reply));
        return coming;
    }

    private void onLeaderReply(SharedReadKey question, ToolCall call, ToolReply reply) {
        if (reply.result() instanceof ToolResult.ToolSuccess success) {
            deliver(question, Optional.of(newCachedRead(call.id(), success)));
        } else if (reply.result() instanceof ToolResult.ToolFailure failure
                && failure.error().code() == ToolErrorCode.CANCELLED) {
            // That says nothing of the tool; and of a batch that is being cancelled, not all are to be sent for it.
            promoteNext(question);
        } else {
            deliver(question, Optional.empty());
        }
    }

    /** The next of those who wait is sent, for all of them. */
    private void promoteNext(SharedReadKey question) {
        WaitingRead next = null;
        synchronized (this) {
            List<WaitingRead> others = inFlight.get(question);
            while (next == null && others != null && !others.isEmpty()) {
                WaitingRead one = others.remove(0);
                next = waitingReads.get(one.call.id()) == one ? one : null;
            }
            if (next == null) {
                inFlight.remove(question);
            }
        }
        if (next != null) {
            WaitingRead leader = next;
            execute(() -> send(leader, reply -> onLeaderReply(question, leader.call, reply)));
        }
    }

    private CachedRead newCachedRead(CallId of, ToolResult.ToolSuccess result) {
        long size = ENTRY_OVERHEAD_BYTES + result.value().text().getBytes(StandardCharsets.UTF_8).length;
        return new CachedRead(of, result, clock.instant(), size);
    }

    private void deliver(SharedReadKey question, Optional<CachedRead> answer) {
        List<WaitingRead> others;
        synchronized (this) {
            others = inFlight.remove(question);
            answer.ifPresent(good -> cache(question, good));
        }
        if (others != null) {
            others.forEach(one -> deliver(one, answer));
        }
    }

    private void deliver(WaitingRead one, Optional<CachedRead> answer) {
        execute(() -> {
            if (answer.isEmpty()) {
                send(one, reply -> {});
            } else if (waitingReads.remove(one.call.id(), one)) {
                one.reply.complete(toReply(answer.get(), one.call));
            }
        });
    }

    private void execute(Runnable word) {
        try {
            executor.execute(word);
        } catch (RejectedExecutionException e) {
            word.run(); // The node stops.
        }
    }

    /** Who was cancelled meanwhile is not there any more, and nothing is sent for him. */
    private void send(WaitingRead one, Consumer<ToolReply> then) {
        CompletionStage<ToolReply> coming;
        CallId id = one.call.id();
        one.sent = true;
        if (waitingReads.get(id) != one) {
            then.accept(CANCELLED);
            return;
        }
        try {
            // What it waited for may have taken all the time that it was given.
            coming = tools.send(one.call.withDeadline(clock.instant().plus(one.timeout)));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "call " + id + " could not be sent", e);
            coming = CompletableFuture.completedStage(ToolReply.local(
                    ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "'" + one.call.tool() + "' was not sent")));
        }
        boolean cancelled = !waitingReads.remove(id, one);
        coming.thenAccept(reply -> {
            one.reply.complete(reply);
            then.accept(reply);
        });
        if (cancelled) {
            // While it was being sent, when there was nothing to withdraw yet.
            tools.cancel(id);
        }
    }

    /** What was found to be a secret since is one for those who come later. */
    private ToolReply toReply(CachedRead answer, ToolCall call) {
        ToolResult clean = ToolResultRedactor.redact(answer.result(), redactors.apply(call.tenant()));
        // An earlier run of the same execution may have made it: then it is its own.
        return answer.callId().equals(call.id())
                ? new ToolReply(clean, 0, 0, 1)
                : ToolReply.from(answer.callId(), clean);
    }

    @Override
    public void cancel(CallId id) {
        WaitingRead one = waitingReads.remove(id);
        if (one != null) {
            one.reply.complete(one.sent ? new ToolReply(CANCELLED.result(), 0, 0, 1) : CANCELLED);
        }
        // Also where it waited: an earlier run of its execution may have sent it.
        tools.cancel(id);
    }

    private @Nullable CachedRead findCached(SharedReadKey question) {
        BatchReadCache of = batchCaches.get(question.batch());
        if (of == null) {
            return null;
        }
        of.nextCheckAt = clock.instant().plus(IDLE_CHECK_DELAY);
        CachedRead answer = of.answers.get(question);
        if (answer != null && isExpired(answer)) {
            evict(of, question);
            return null;
        }
        return answer;
    }

    private boolean isExpired(CachedRead answer) {
        return !clock.instant().isBefore(answer.answeredAt().plus(maxAge));
    }

    private void cache(SharedReadKey question, CachedRead answer) {
        if (answer.bytes() > maxBytes / MAX_ENTRY_FRACTION) {
            return;
        }
        BatchReadCache of = batchCaches.computeIfAbsent(question.batch(), any -> new BatchReadCache());
        of.nextCheckAt = clock.instant().plus(IDLE_CHECK_DELAY);
        evict(of, question);
        of.answers.put(question, answer);
        of.bytes += answer.bytes();
        bytes += answer.bytes();
        while (bytes > maxBytes) {
            // Who has most gives first: a batch that asks for much drives out its own before that of others.
            BatchReadCache largest = batchCaches.values().stream()
                    .max(Comparator.comparingLong(each -> each.bytes))
                    .orElseThrow();
            evict(largest, largest.answers.keySet().iterator().next());
        }
    }

    private void evict(BatchReadCache of, SharedReadKey question) {
        CachedRead gone = of.answers.remove(question);
        if (gone != null) {
            of.bytes -= gone.bytes();
            bytes -= gone.bytes();
        }
    }

    /**
     * Forgets what is old, and all of batches that are over.
     *
     * @param lives whether a batch has executions that have not ended; may wait for the store, and throw its exception: the next look asks again
     */
    public void evictStale(Predicate<BatchId> lives) {
        List<BatchId> quiet = new ArrayList<>();
        synchronized (this) {
            Instant now = clock.instant();
            batchCaches.values().forEach(this::evictExpired);
            batchCaches.values().removeIf(of -> of.answers.isEmpty());
            batchCaches.forEach((batch, of) -> {
                if (!now.isBefore(of.nextCheckAt)) {
                    quiet.add(batch);
                    of.nextCheckAt = now.plus(IDLE_CHECK_DELAY);
                }
            });
        }
        try {
            for (BatchId batch : quiet) {
                if (!lives.test(batch)) {
                    evictBatch(batch);
                }
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "nobody can tell which batches are over", e);
        }
    }

    private void evictExpired(BatchReadCache of) {
        Iterator<Map.Entry<SharedReadKey, CachedRead>> oldest =
                of.answers.entrySet().iterator();
        while (oldest.hasNext()) {
            CachedRead answer = oldest.next().getValue();
            if (!isExpired(answer)) {
                return;
            }
            oldest.remove();
            of.bytes -= answer.bytes();
            bytes -= answer.bytes();
        }
    }

    private synchronized void evictBatch(BatchId batch) {
        BatchReadCache of = batchCaches.remove(batch);
        if (of != null) {
            bytes -= of.bytes;
        }
    }

    /** How many answers are kept. */
    public synchronized int size() {
        return batchCaches.values().stream().mapToInt(of -> of.answers.size()).sum();
    }
}
