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
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Sends identical read-only calls of one batch only once. Calls with an equal {@link SharedReadKey} that arrive while
 * the first is in flight, or after it was answered, receive the same reply. If the first call fails, the waiting calls
 * are sent individually; if it was only cancelled, the next waiting call is sent for all of them.
 *
 * <p>Caches successful replies in this process, bounded in bytes and age and by the life of the batch. Calls that are
 * sent without a {@link SharedReadKey} have no overhead. Thread-safe.
 */
public final class SharedReadToolBridge implements ToolBridge {
    private static final Logger LOG = System.getLogger(SharedReadToolBridge.class.getName());
    /** Estimated size of a cached reply, in addition to its text. */
    private static final int ENTRY_OVERHEAD_BYTES = 512;
    /** A reply larger than this fraction of the whole cache is delivered to the waiting calls but not cached. */
    private static final int MAX_ENTRY_FRACTION = 8;
    /** After a batch has not read its cache for this long, the next eviction checks whether the batch has ended. */
    private static final Duration IDLE_CHECK_DELAY = Duration.ofSeconds(5);

    /** Reply to a call that was cancelled before it was sent. */
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
     * @param executor delivers replies to waiting calls and sends promoted calls, one task per call
     * @param redactions returns the redactor of a tenant
     * @param mostBytes maximum size of all cached replies together
     * @param mostAge how long a cached reply is served to other calls
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

    /**
     * A call that waits for the reply to another call. Compared by identity, because a second call with the same id may
     * follow.
     */
    private static final class WaitingRead {
        private final ToolCall call;
        /** Time allowed for the call, measured from when it is sent. */
        private final Duration timeout;

        private final CompletableFuture<ToolReply> reply = new CompletableFuture<>();
        private volatile boolean sent;

        WaitingRead(ToolCall call, Instant now) {
            this.call = call;
            this.timeout = Duration.between(now, call.deadline());
        }
    }

    /** The reply to a call, and when it arrived. */
    private record CachedRead(CallId callId, ToolResult.ToolSuccess result, Instant answeredAt, long bytes) {}

    /** The cached replies of one batch, oldest first. */
    private static final class BatchReadCache {
        private final Map<SharedReadKey, CachedRead> answers = new LinkedHashMap<>();
        private long bytes;
        private Instant nextCheckAt = Instant.MIN;
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        return tools.send(call);
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call, Runnable argumentsStored) {
        return tools.send(call, argumentsStored);
    }

    /**
     * Sends {@code call} like {@link #send(ToolCall)}, unless another call with key {@code question} is in flight or
     * answered. In that case {@link ToolReply#sharedFrom} of the reply names the other call. The caller must have
     * authorized the call already: this class does not know grants and policy rules.
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
        } catch (RuntimeException | Error e) {
            deliver(question, Optional.empty());
            throw e;
        }
        coming.whenComplete((reply, failure) -> {
            if (failure == null) {
                onLeaderReply(question, call, reply);
            } else {
                deliver(question, Optional.empty());
            }
        });
        return coming;
    }

    private void onLeaderReply(SharedReadKey question, ToolCall call, ToolReply reply) {
        if (reply.result() instanceof ToolResult.ToolSuccess success) {
            deliver(question, Optional.of(newCachedRead(call.id(), success)));
        } else if (reply.result() instanceof ToolResult.ToolFailure failure
                && failure.error().code() == ToolErrorCode.CANCELLED) {
            // A cancellation says nothing about the tool. When a whole batch is being cancelled, its waiting calls must
            // not all be sent because of it.
            promoteNext(question);
        } else {
            deliver(question, Optional.empty());
        }
    }

    /** Sends the next waiting call on behalf of all that still wait. */
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
            word.run(); // The node is shutting down.
        }
    }

    /** Sends a waiting call. Does not send it if it was cancelled in the meantime. */
    private void send(WaitingRead one, Consumer<ToolReply> then) {
        CompletionStage<ToolReply> coming;
        CallId id = one.call.id();
        one.sent = true;
        if (waitingReads.get(id) != one) {
            then.accept(CANCELLED);
            return;
        }
        try {
            // Waiting for the other call may have used up the original deadline.
            coming = tools.send(one.call.withDeadline(clock.instant().plus(one.timeout)));
        } catch (RuntimeException | Error e) {
            coming = CompletableFuture.failedStage(e);
        }
        boolean cancelled = !waitingReads.remove(id, one);
        coming.whenComplete((reply, failure) -> {
            ToolReply received = failure == null ? reply : failedReply(one.call, failure);
            one.reply.complete(received);
            then.accept(received);
        });
        if (cancelled) {
            // The call was cancelled while it was being sent, when the bridge had nothing to cancel yet.
            tools.cancel(id);
        }
    }

    private static ToolReply failedReply(ToolCall call, Throwable failure) {
        LOG.log(Level.ERROR, "call " + call.id() + " could not be sent", failure);
        return ToolReply.local(
                ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "'" + call.tool() + "' was not sent"));
    }

    /** Redacts again: a value that became a secret after the reply was cached must not reach later calls. */
    private ToolReply toReply(CachedRead answer, ToolCall call) {
        ToolResult clean = ToolResultRedactor.redact(answer.result(), redactors.apply(call.tenant()));
        // If an earlier run of the same execution made the call, the reply is the call's own and not shared.
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
        // Needed for a waiting call too: an earlier run of its execution may have sent it.
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
            // Evicts from the largest batch, so that a batch with many reads displaces its own replies before those of
            // others.
            BatchReadCache largest = batchCaches.values().stream()
                    .max(Comparator.comparingLong(each -> each.bytes))
                    .orElseThrow();
            evict(largest, largest.answers.keySet().iterator().next());
        }
    }

    private void evict(BatchReadCache of, SharedReadKey question) {
        CachedRead removed = of.answers.remove(question);
        if (removed != null) {
            of.bytes -= removed.bytes();
            bytes -= removed.bytes();
        }
    }

    /**
     * Evicts expired replies and all replies of batches that have ended.
     *
     * @param lives whether a batch has executions that have not ended; may block on the store and throw
     *     {@link StoreUnavailableException}, in which case a later eviction checks again
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
            LOG.log(Level.DEBUG, "cannot look up which batches have ended; their shared reads stay in memory", e);
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

    /** Number of cached replies. */
    public synchronized int size() {
        return batchCaches.values().stream().mapToInt(of -> of.answers.size()).sum();
    }
}
