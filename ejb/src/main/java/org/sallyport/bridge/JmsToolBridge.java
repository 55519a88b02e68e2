package org.sallyport.bridge;

import java.lang.System.Logger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ControlBroadcaster;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Sends tool calls as JMS requests and matches the replies that the single reply consumer of this node receives. A
 * pending call costs one map entry: it needs no thread, queue or consumer of its own. Thread-safe.
 */
public final class JmsToolBridge implements ToolBridge {
    private static final Logger LOG = System.getLogger(JmsToolBridge.class.getName());
    private static final int MAX_RESENDS = 10;
    private static final long RESEND_DELAY_MILLIS = 300;
    /** The pause before a call is sent again for which its node had no memory. */
    private static final long MEMORY_RESEND_DELAY_MILLIS = 1_000;

    private final ToolCatalog catalog;
    private final MessageSender sender;
    private final String replyQueue;
    private final ScheduledExecutorService scheduler;
    private final Executor callerSends;
    private final Executor sends;
    private final ControlBroadcaster broadcaster;
    private final InstantSource clock;
    private final CorrelationIdGenerator correlationIdGenerator;
    private final Function<String, Redactor> redactors;
    private final Map<String, PendingToolRequest> pending = new ConcurrentHashMap<>();
    private final Map<CallId, String> correlationIds = new ConcurrentHashMap<>();
    private final LongAdder lateCount = new LongAdder();
    private final LongAdder unsolicitedCount = new LongAdder();
    private volatile LeaseView lease = LeaseView.NONE;

    /**
     * The executors of the bridge. The two that send reject a task instead of keeping the calling thread waiting.
     *
     * @param scheduler runs timers, which do not block
     * @param callerSends sends the calls, on the calling thread if the broker may block it
     * @param sends sends everything else
     */
    public record BridgeExecutors(ScheduledExecutorService scheduler, Executor callerSends, Executor sends) {}

    /**
     * @param replyQueue the reply queue of this node incarnation
     * @param redactions returns the redactor of a tenant
     * @param random generates correlation ids that other parties cannot guess; must be cryptographically strong
     */
    public JmsToolBridge(
            ToolCatalog catalog,
            MessageSender sender,
            String replyQueue,
            BridgeExecutors executors,
            InstantSource clock,
            Function<String, Redactor> redactions,
            RandomGenerator random) {
        this.catalog = catalog;
        this.sender = sender;
        this.replyQueue = replyQueue;
        this.scheduler = executors.scheduler();
        this.callerSends = executors.callerSends();
        this.sends = executors.sends();
        this.broadcaster = new ControlBroadcaster(sender, executors.sends());
        this.clock = clock;
        this.redactors = redactions;
        this.correlationIdGenerator = new CorrelationIdGenerator(random);
    }

    /** Sets the lease under which calls are sent. Before that, no call is sent. */
    public void setLease(LeaseView held) {
        lease = held;
    }

    /**
     * @param leaseTerm the term of the lease in which the call was made
     * @param repeatable whether the call may be sent twice
     * @param resends how often the call was handed back and sent again
     * @param maybeStarted whether a node that handed the call back may have started it; from then on the call never
     *     counts as not sent
     * @param maybeSent whether the broker or a node may have the call now
     */
    private record PendingToolRequest(
            ToolCall call,
            String queue,
            int leaseTerm,
            boolean repeatable,
            CompletableFuture<ToolReply> reply,
            ScheduledFuture<?> timeout,
            AtomicInteger resends,
            AtomicBoolean maybeStarted,
            AtomicBoolean maybeSent) {
        private int attempts(ToolReply reply) {
            return maybeStarted.get() ? Math.max(2, reply.attempts() + 1) : reply.attempts();
        }
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        CompletableFuture<ToolReply> reply = new CompletableFuture<>();
        Optional<CatalogTool> tool = catalog.find(call.tool());
        long remaining = Duration.between(clock.instant(), call.deadline()).toMillis();
        if (tool.isEmpty() || remaining <= 0) {
            reply.complete(
                    tool.isEmpty()
                            ? ToolReply.local(ToolResult.failure(
                                    ToolErrorCode.TOOL_NOT_FOUND, "there is no tool '" + call.tool() + "'"))
                            : unsentReply(call));
            return reply;
        }
        boolean repeatable = tool.get().spec().hints().isRepeatable();
        String correlation = correlationIdGenerator.next();
        ScheduledFuture<?> timeout = scheduler.schedule(
                () -> expire(correlation),
                repeatable ? remaining : remaining + ToolReplyMessage.REPORT_GRACE.toMillis(),
                TimeUnit.MILLISECONDS);
        PendingToolRequest held = new PendingToolRequest(
                call,
                tool.get().backend().queue(),
                lease.term(),
                repeatable,
                reply,
                timeout,
                new AtomicInteger(),
                new AtomicBoolean(),
                new AtomicBoolean());
        pending.put(correlation, held);
        correlationIds.put(call.id(), correlation);
        if (timeout.isDone()) {
            // The timer fired before the call was in the map, and did not find it.
            expire(correlation);
            return reply;
        }
        send(callerSends, correlation, held);
        return reply;
    }

    private void send(Executor executor, String correlation, PendingToolRequest held) {
        try {
            executor.execute(() -> sendNow(correlation, held));
        } catch (RejectedExecutionException e) {
            complete(
                    correlation,
                    ToolReply.notSent(ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE,
                            "'" + held.call().tool()
                                    + "' was not called: too many messages wait for the message broker")));
        }
    }

    private void sendNow(String correlation, PendingToolRequest held) {
        ToolCall call = held.call();
        Instant now = clock.instant();
        long remaining = Duration.between(now, call.deadline()).toMillis();
        if (remaining <= 0) {
            expire(correlation);
            return;
        }
        long leaseMillis = lease.remaining(held.leaseTerm()).toMillis();
        if (leaseMillis <= 0) {
            // Not answered: the script is being stopped, and another run of it makes the call.
            LOG.log(
                    Logger.Level.DEBUG,
                    "call {0} is not sent: this node lost its lease; the next run of the execution makes it",
                    call.id());
            return;
        }
        held.maybeSent().set(true);
        if (pending.get(correlation) != held) {
            return; // the call was answered before it counted as sent, and must not be sent any more
        }
        try {
            sender.send(OutgoingMessage.queue(
                            held.queue(),
                            new ToolRequestMessage(call, now, leaseMillis).encode(),
                            correlation,
                            replyQueue,
                            remaining)
                    .withTrace(call.trace())
                    .withTenant(call.tenant()));
        } catch (BrokerUnavailableException e) {
            complete(correlation, brokerFailureReply(held, e));
        }
    }

    private static ToolReply brokerFailureReply(PendingToolRequest held, BrokerUnavailableException e) {
        String what = "'" + held.call().tool() + "' could not be reached: the message broker does not answer";
        if (!e.maybeSent()) {
            return ToolReply.notSent(ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, what));
        }
        // The reply is not awaited any more, so that a call that arrived nevertheless may have its effect.
        return ToolReply.local(
                held.repeatable()
                        ? ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, what)
                        : ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, what + "; it may have had its effect"));
    }

    /**
     * Handles a call that a node handed back, because it stops or received the call too late: sends it again after a
     * short delay.
     *
     * @param begun whether the call may have happened, and may be repeated
     */
    public void onHandedBack(String correlation, boolean begun) {
        PendingToolRequest held = pending.get(correlation);
        if (held != null) {
            held.maybeSent().set(false);
            if (begun) {
                held.maybeStarted().set(true);
            }
        }
        if (held == null) {
            countUnexpected(correlation);
        } else if (held.resends().incrementAndGet() > MAX_RESENDS) {
            complete(
                    correlation,
                    ToolReply.local(ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE,
                            "'" + held.call().tool()
                                    + "' was not answered: the nodes that host its backend are stopping, or receive"
                                    + " calls too late, for example because their clocks are ahead")));
        } else {
            resendLater(correlation, held, RESEND_DELAY_MILLIS);
        }
    }

    /** Handles a call for which a node had no memory: sends it again, until its deadline. */
    void onHandedBackWithoutMemory(String correlation) {
        PendingToolRequest held = pending.get(correlation);
        if (held == null) {
            countUnexpected(correlation);
        } else {
            held.maybeSent().set(false);
            resendLater(correlation, held, MEMORY_RESEND_DELAY_MILLIS);
        }
    }

    private void resendLater(String correlation, PendingToolRequest held, long delayMillis) {
        scheduler.schedule(
                () -> {
                    if (pending.get(correlation) == held) {
                        send(sends, correlation, held);
                    }
                },
                delayMillis,
                TimeUnit.MILLISECONDS);
    }

    private void expire(String correlation) {
        completeWith(correlation, JmsToolBridge::timeoutReply);
    }

    /**
     * Returns the reply to a call that was not answered in time. A call that must not be repeated may have had its
     * effect, unless no node has it.
     */
    private static ToolReply timeoutReply(PendingToolRequest held) {
        ToolCall call = held.call();
        if (!held.maybeSent().get() && !held.maybeStarted().get()) {
            return unsentReply(call);
        }
        return ToolReply.local(
                held.repeatable()
                        ? ToolResult.failure(ToolErrorCode.TIMEOUT, "'" + call.tool() + "' did not answer in time")
                        : ToolResult.failure(
                                ToolErrorCode.OUTCOME_UNKNOWN,
                                "'" + call.tool() + "' did not answer in time; it may have had its effect"));
    }

    /** Returns the reply to a call whose time passed before it was sent, or after it was handed back. */
    private static ToolReply unsentReply(ToolCall call) {
        return ToolReply.notSent(
                ToolResult.failure(ToolErrorCode.TIMEOUT, "'" + call.tool() + "' was not sent: its time had passed"));
    }

    @Override
    public void cancel(CallId id) {
        String correlation = correlationIds.get(id);
        if (correlation != null
                && complete(
                        correlation,
                        ToolReply.local(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled")))) {
            // If this is lost, the call may happen: the caller counts it among those with an unknown outcome.
            broadcaster.broadcast(new ControlMessage.ToolCallCancelRequest(id));
        }
    }

    /**
     * Completes the pending call with {@code reply}. Without a pending call, the reply is dropped and counted as late
     * (the call has ended) or unsolicited (this node never issued the correlation id, so the reply is forged).
     */
    public void onReply(String correlation, ToolReply reply) {
        if (!complete(correlation, reply)) {
            countUnexpected(correlation);
        }
    }

    /** The call that waits for a reply under this correlation id; empty if no call does. */
    Optional<AwaitedReply> findAwaited(String correlation) {
        return Optional.ofNullable(pending.get(correlation))
                .map(held -> new AwaitedReply(held.call().tenant(), held.reply()));
    }

    /**
     * A call that waits for its reply.
     *
     * @param answered completes when the call is answered, at the latest at its deadline
     */
    record AwaitedReply(String tenant, CompletableFuture<ToolReply> answered) {}

    /** Counts a reply that no call waits for: as late or unsolicited, as {@link #onReply} does. */
    void countUnexpected(String correlation) {
        (correlationIdGenerator.isIssuedHere(correlation) ? lateCount : unsolicitedCount).increment();
    }

    /** Counts a message on the reply queue that is not a valid reply. */
    void countMalformed() {
        unsolicitedCount.increment();
    }

    private boolean complete(String correlation, ToolReply answer) {
        return completeWith(correlation, held -> answer);
    }

    /** @param answer makes the reply after the call was removed: from then on the call is not sent any more */
    private boolean completeWith(String correlation, Function<PendingToolRequest, ToolReply> answer) {
        PendingToolRequest call = pending.remove(correlation);
        if (call == null) {
            return false;
        }
        ToolReply reply = answer.apply(call);
        correlationIds.remove(call.call().id(), correlation);
        call.timeout().cancel(false);
        return call.reply().complete(reply.withResult(redact(call, reply.result()), call.attempts(reply)));
    }

    /** Replaces a result that cannot be redacted by an error. */
    private ToolResult redact(PendingToolRequest held, ToolResult result) {
        try {
            return ToolResultRedactor.redact(result, redactors.apply(held.call().tenant()));
        } catch (RuntimeException | Error e) {
            LOG.log(Logger.Level.ERROR, "the reply to call " + held.call().id() + " cannot be redacted", e);
            String what = "'" + held.call().tool() + "' was answered, but secrets could not be removed from its answer";
            return held.repeatable()
                    ? ToolResult.failure(ToolErrorCode.TOOL_FAILED, what)
                    : ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, what + "; it may have had its effect");
        }
    }

    /** Number of replies to calls of this node that had already ended. */
    public long lateReplies() {
        return lateCount.sum();
    }

    /**
     * Number of messages on the reply queue that are malformed, or that answer no call ever made by this node: a sender
     * forged them or is faulty.
     */
    public long unsolicitedReplies() {
        return unsolicitedCount.sum();
    }

    /** Number of calls without a reply yet. */
    public int pendingCount() {
        return pending.size();
    }
}
