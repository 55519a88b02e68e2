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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ControlMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Sends calls as JMS requests and matches the replies that this node's one reply consumer hears. A waiting call costs a map
 * entry: no thread, no queue and no consumer of its own.
 */
public final class JmsToolBridge implements ToolBridge {
    private static final int MOST_BACK = 10;
    private static final long BACK_MILLIS = 300;

    private final Catalog catalog;
    private final MessageSender sender;
    private final String replyQueue;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final InstantSource clock;
    private final Correlations names;
    private final Function<String, Redaction> redactions;
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();
    private final Map<CallId, String> correlations = new ConcurrentHashMap<>();
    private final LongAdder late = new LongAdder();
    private final LongAdder strange = new LongAdder();

    /**
     * @param replyQueue the queue that this node incarnation listens on
     * @param executor sends to the broker, which may take its time
     * @param redactions what must not be seen by a tenant
     * @param random names calls so that nobody can guess the name of another's; must be cryptographically strong
     */
    public JmsToolBridge(
            Catalog catalog,
            MessageSender sender,
            String replyQueue,
            ScheduledExecutorService scheduler,
            Executor executor,
            InstantSource clock,
            Function<String, Redaction> redactions,
            RandomGenerator random) {
        this.catalog = catalog;
        this.sender = sender;
        this.replyQueue = replyQueue;
        this.scheduler = scheduler;
        this.executor = executor;
        this.clock = clock;
        this.redactions = redactions;
        this.names = new Correlations(random);
    }

    /**
     * @param back how often it was handed back
     * @param begun whether who handed it back may have made it: then it is never one that was not sent
     */
    private record Waiting(
            ToolCall call,
            String queue,
            CompletableFuture<ToolReply> reply,
            ScheduledFuture<?> timeout,
            AtomicInteger back,
            AtomicBoolean begun) {
        private int attempts(ToolReply reply) {
            return begun.get() ? Math.max(2, reply.attempts() + 1) : reply.attempts();
        }
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        CompletableFuture<ToolReply> reply = new CompletableFuture<>();
        Optional<CatalogTool> tool = catalog.find(call.tool());
        long remaining = Duration.between(clock.instant(), call.deadline()).toMillis();
        if (tool.isEmpty() || remaining <= 0) {
            reply.complete(ToolReply.local(
                    tool.isEmpty()
                            ? ToolResult.failure(ToolErrorCode.TOOL_NOT_FOUND, "there is no tool '" + call.tool() + "'")
                            : timedOut(call)));
            return reply;
        }
        String correlation = names.next();
        ScheduledFuture<?> timeout = scheduler.schedule(
                () -> end(correlation, ToolReply.local(timedOut(call))), remaining, TimeUnit.MILLISECONDS);
        Waiting held = new Waiting(
                call, tool.get().backend().queue(), reply, timeout, new AtomicInteger(), new AtomicBoolean());
        waiting.put(correlation, held);
        correlations.put(call.id(), correlation);
        if (timeout.isDone()) {
            // The timer ran before the call was in the map, and did not find it.
            end(correlation, ToolReply.local(timedOut(call)));
            return reply;
        }
        send(correlation, held);
        return reply;
    }

    private void send(String correlation, Waiting held) {
        ToolCall call = held.call();
        Instant now = clock.instant();
        long remaining = Math.max(1, Duration.between(now, call.deadline()).toMillis());
        try {
            sender.send(OutgoingMessage.queue(
                            held.queue(),
                            new ToolRequestMessage(call, now).encode(),
                            correlation,
                            replyQueue,
                            remaining)
                    .in(call.trace()));
        } catch (BrokerUnavailableException e) {
            unavailable(correlation, call, "could not be reached: the message broker does not answer");
        }
    }

    private void unavailable(String correlation, ToolCall call, String why) {
        end(
                correlation,
                ToolReply.local(ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "'" + call.tool() + "' " + why)));
    }

    /**
     * Who had the call stops: another is asked, after a moment.
     *
     * @param begun whether it may have happened, and may be repeated
     */
    public void handedBack(String correlation, boolean begun) {
        Waiting held = waiting.get(correlation);
        if (held != null && begun) {
            held.begun().set(true);
        }
        if (held == null) {
            unexpected(correlation);
        } else if (held.back().incrementAndGet() > MOST_BACK) {
            unavailable(correlation, held.call(), "was not answered: those that have its backend stop");
        } else {
            scheduler.schedule(
                    () -> {
                        if (waiting.get(correlation) == held) {
                            executor.execute(() -> send(correlation, held));
                        }
                    },
                    BACK_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    private static ToolResult timedOut(ToolCall call) {
        return ToolResult.failure(ToolErrorCode.TIMEOUT, "'" + call.tool() + "' did not answer in time");
    }

    @Override
    public void cancel(CallId id) {
        String correlation = correlations.get(id);
        if (correlation != null
                && end(
                        correlation,
                        ToolReply.local(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled")))) {
            try {
                sender.send(OutgoingMessage.control(new ControlMessage.Withdraw(id)));
            } catch (BrokerUnavailableException e) {
                // Whoever asked counts such a call among those whose outcome nobody knows.
                System.getLogger(JmsToolBridge.class.getName()).log(Logger.Level.DEBUG, "withdrawing " + id, e);
            }
        }
    }

    /** A reply was heard; dropped and counted when nobody waits for it (late or repeated), or nobody can have been asked for it (forged). */
    public void replied(String correlation, ToolReply reply) {
        if (!end(correlation, reply)) {
            unexpected(correlation);
        }
    }

    private void unexpected(String correlation) {
        (names.gave(correlation) ? late : strange).increment();
    }

    /** What was heard where replies come is none. */
    void noReply() {
        strange.increment();
    }

    private boolean end(String correlation, ToolReply reply) {
        Waiting call = waiting.remove(correlation);
        if (call == null) {
            return false;
        }
        correlations.remove(call.call().id(), correlation);
        call.timeout().cancel(false);
        ToolResult clean =
                RedactedResult.of(reply.result(), redactions.apply(call.call().tenant()));
        return call.reply().complete(reply.with(clean, call.attempts(reply)));
    }

    /** Replies to calls of this node that nobody waited for any more. */
    public long lateReplies() {
        return late.sum();
    }

    /** What came where replies come and is none, or answers no call that was ever made here: somebody forged it, or is out of order. */
    public long strangeReplies() {
        return strange.sum();
    }

    /** Calls without a reply yet. */
    public int open() {
        return waiting.size();
    }
}
