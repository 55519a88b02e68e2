package org.sallyport.connector;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.cache.RecentEntries;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.MessageMemory;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Passes each request to the connector of its backend and sends the result to the request's reply queue. Thread-safe.
 */
public final class ConnectorDispatcher {
    private static final int MAX_CANCELLED_KEPT = 10_000;
    /** Accepted difference between synchronized clocks. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);
    /** How long a message about a call that was not decoded waits for its receiver. */
    private static final long HAND_BACK_MILLIS = 10_000;

    private static final ToolResult NODE_STOPPED = ToolResult.failure(
            ToolErrorCode.OUTCOME_UNKNOWN,
            "the node that ran the call stopped before it was answered; it may have had its effect");
    /** The reply to a call that failed on this node before its connector received it. */
    private static final ToolReply NOT_MADE = ToolReply.notSent(ToolResult.failure(
            ToolErrorCode.BACKEND_UNAVAILABLE, "the call was not made: this node could not handle it"));

    private static final ToolReply MAYBE_MADE = ToolReply.local(ToolResult.failure(
            ToolErrorCode.OUTCOME_UNKNOWN,
            "the call failed on the node that hosts its backend; it may have had its effect"));
    private static final Logger LOG = System.getLogger(ConnectorDispatcher.class.getName());

    private final Map<String, Connector> connectors = new ConcurrentHashMap<>();
    private final MessageSender sender;
    private final InstantSource clock;
    private final long maxResultChars;
    private final String node;
    private final MessageMemory memory;
    private final InFlightCalls inFlight = new InFlightCalls();
    private final LateRequestLog lateRequests = new LateRequestLog(System::nanoTime);
    /** The reply queue of this node once it is stopping; empty until then. */
    private volatile Optional<String> stoppingReplyQueue = Optional.empty();
    /** Cancelled calls, including calls that have not arrived yet. Bounded: the oldest entries are removed. */
    private final RecentEntries<CallId, Boolean> cancelledCalls = new RecentEntries<>(MAX_CANCELLED_KEPT);

    /**
     * @param resultChars maximum length of a result; longer results are answered with {@code too-large}
     * @param node the name of this node, which its replies carry
     * @param memory the memory of calls that are not answered
     */
    public ConnectorDispatcher(
            Collection<Connector> connectors,
            MessageSender sender,
            InstantSource clock,
            long resultChars,
            String node,
            MemoryBudget memory) {
        connectors.forEach(this::register);
        this.sender = sender;
        this.clock = clock;
        this.maxResultChars = resultChars;
        this.node = node;
        this.memory = new MessageMemory(memory);
    }

    /** Adds the connector of a backend, replacing the previous one. */
    public void register(Connector connector) {
        connectors.put(connector.backendName(), connector);
    }

    /** Removes the connector of {@code backend} from this node. */
    public void unregister(String backend) {
        connectors.remove(backend);
    }

    /** The memory of calls that are not answered. */
    MessageMemory memory() {
        return memory;
    }

    /** Hands back a call for which there is no memory, before it is decoded. Its node sends it again. */
    void handBackWithoutMemory(String correlation, String replyQueue) {
        try {
            sender.send(OutgoingMessage.queue(
                    replyQueue, ToolReplyMessage.HANDED_BACK_WITHOUT_MEMORY, correlation, null, HAND_BACK_MILLIS));
        } catch (BrokerUnavailableException e) {
            // The call ends at the caller's deadline.
            LOG.log(Level.WARNING, "a call for which there is no memory could not be handed back", e);
        }
    }

    /** Answers a call that cannot be decoded. If it is redelivered, an earlier consumer may have made it. */
    void answerUndecodable(String correlation, String replyQueue, boolean redelivered) {
        ToolReply reply = redelivered ? MAYBE_MADE : NOT_MADE;
        try {
            sender.send(OutgoingMessage.queue(
                    replyQueue,
                    new ToolReplyMessage(reply.withNode(node)).encode(),
                    correlation,
                    null,
                    HAND_BACK_MILLIS));
        } catch (BrokerUnavailableException e) {
            // The call ends at the caller's deadline.
            LOG.log(Level.WARNING, "the reply to a call that cannot be decoded could not be sent", e);
        }
    }

    /** Handles one request for which no memory is reserved. */
    public void dispatch(ToolRequestMessage sent, String correlation, String replyQueue, boolean redelivered) {
        dispatch(sent, correlation, replyQueue, redelivered, () -> {});
    }

    /**
     * Handles one request. The reply goes to {@code replyQueue} under {@code correlation} when the connector has a
     * result.
     *
     * @param redelivered whether the message is a redelivery: an earlier consumer may have made the call and died
     *     before it acknowledged. A call that must not be repeated is then not made, and is answered with
     *     {@code outcome-unknown}
     * @param onAnswered called once when the call is answered
     */
    void dispatch(
            ToolRequestMessage sent, String correlation, String replyQueue, boolean redelivered, Runnable onAnswered) {
        // The call is registered before the check for shutdown, so that a drain that begins in between finds it.
        InFlightCalls.InFlightCall held = inFlight.add(sent, correlation, replyQueue, onAnswered);
        try {
            dispatch(held, redelivered);
        } catch (RuntimeException | Error e) {
            LOG.log(
                    Level.WARNING,
                    "call " + sent.call().id() + " of " + sent.call().tool() + " failed",
                    e);
            answer(held, () -> redelivered ? MAYBE_MADE : NOT_MADE);
        }
    }

    /** Fails only before the connector receives the call. */
    private void dispatch(InFlightCalls.InFlightCall held, boolean redelivered) {
        ToolRequestMessage request = toLocalClock(held.request());
        boolean others =
                stoppingReplyQueue.filter(own -> !own.equals(held.replyQueue())).isPresent();
        // A call that may have been made and must not be repeated is answered here, not handed back.
        if ((others || isTooLate(request)) && (!redelivered || isRepeatable(request.call()))) {
            inFlight.completeOnce(held, () -> sendHandBack(held, redelivered));
            return;
        }
        long queued = millisSinceSent(request);
        long started = System.nanoTime();
        call(request, redelivered).whenComplete((got, failure) -> {
            Failpoint.CALL_MADE.reached(request.call());
            long took = (System.nanoTime() - started) / 1_000_000;
            answer(held, () -> {
                ToolResult result = toResult(request, got == null ? null : got.result(), failure);
                int attempts = got == null ? 1 : got.attempts();
                // On a redelivery the earlier consumer may have sent the call, which counts as an attempt.
                return new ToolReply(result, queued, took, redelivered ? Math.max(1, attempts) : attempts);
            });
        });
    }

    /** Sends the reply, unless the call was answered already. A reply that cannot be built is replaced by an error. */
    private void answer(InFlightCalls.InFlightCall held, Supplier<ToolReply> reply) {
        inFlight.completeOnce(held, () -> {
            try {
                sendReply(held, reply.get());
            } catch (RuntimeException | Error e) {
                CallId id = held.request().call().id();
                LOG.log(Level.WARNING, "the reply to call " + id + " could not be built", e);
                sendReply(held, MAYBE_MADE);
            }
        });
    }

    /**
     * Hands calls of other nodes back from now on, so that they send them to a running node. Waits up to
     * {@code timeout} for the calls in progress. A remaining call is handed back if it has not started or may be
     * repeated, and is answered with {@code outcome-unknown} otherwise.
     *
     * @param own the reply queue of this node; its own calls are not handed back
     */
    public void drain(String own, Duration timeout) throws InterruptedException {
        stoppingReplyQueue = Optional.of(own);
        for (InFlightCalls.InFlightCall held : inFlight.awaitForeignCalls(own, timeout)) {
            // The check runs inside completeOnce, because a connector may answer a call immediately when it is
            // cancelled.
            inFlight.completeOnce(held, () -> answerAtStop(held));
        }
    }

    private void answerAtStop(InFlightCalls.InFlightCall held) {
        ToolRequestMessage request = held.request();
        long took = held.elapsedMillis();
        ToolReply unknown = new ToolReply(NODE_STOPPED, Math.max(0, millisSinceSent(request) - took), took);
        try {
            if (cancelIfNotStarted(request.call())) {
                sendHandBack(held, false);
            } else if (isRepeatable(request.call())) {
                sendHandBack(held, true);
            } else {
                sendReply(held, unknown);
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "call " + request.call().id() + " could not be handed back", e);
            sendReply(held, unknown);
        }
    }

    /** Time that the caller waits, measured from sending: both instants are from the caller's clock. */
    private static Duration timeLimit(ToolRequestMessage request) {
        return Duration.between(request.sentAt(), request.call().deadline());
    }

    /**
     * Converts the times of a request to this node's clock, by which the request cannot have been sent in the future. A
     * caller's clock that is behind cannot be corrected: its calls have expired here, if they arrive at all.
     */
    private ToolRequestMessage toLocalClock(ToolRequestMessage request) {
        Instant now = clock.instant();
        return request.sentAt().minus(CLOCK_TOLERANCE).isAfter(now)
                ? new ToolRequestMessage(
                        request.call().withDeadline(now.plus(timeLimit(request))), now, request.leaseMillis())
                : request;
    }

    private long millisSinceSent(ToolRequestMessage request) {
        return Math.max(0, Duration.between(request.sentAt(), clock.instant()).toMillis());
    }

    /**
     * Returns whether the call changes something and was on its way for longer than its sender certainly held its
     * lease: since then another node may run the execution. A sender that still runs it sends the call again.
     */
    private boolean isTooLate(ToolRequestMessage request) {
        long millis = millisSinceSent(request);
        if (millis <= request.leaseMillis() || !isEffect(request.call().tool())) {
            return false;
        }
        lateRequests.add(request, millis);
        return true;
    }

    private boolean isEffect(ToolName tool) {
        Connector connector = connectors.get(tool.backend());
        return connector != null
                && connector.tools().stream()
                        .anyMatch(spec ->
                                spec.name().equals(tool) && !spec.hints().readOnly());
    }

    private boolean cancelIfNotStarted(ToolCall call) {
        Connector connector = connectors.get(call.tool().backend());
        return connector != null && connector.cancelIfNotStarted(call.id());
    }

    private boolean isRepeatable(ToolCall call) {
        Connector connector = connectors.get(call.tool().backend());
        return connector != null && isRepeatable(connector, call.tool());
    }

    /** Cancels a call whose caller no longer waits. A call that has not started is not started if possible. */
    public void cancel(CallId call) {
        cancelledCalls.put(call, true);
        connectors.values().forEach(connector -> connector.cancel(call));
    }

    private CompletionStage<Connector.ConnectorCallResult> call(ToolRequestMessage request, boolean redelivered) {
        if (cancelledCalls.contains(request.call().id())) {
            return notSent(ToolErrorCode.CANCELLED, "the call was cancelled before it began");
        }
        Connector connector = connectors.get(request.call().tool().backend());
        if (connector == null) {
            return notSent(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    "backend '" + request.call().tool().backend() + "' is not hosted here");
        }
        if (redelivered && !isRepeatable(connector, request.call().tool())) {
            return notSent(
                    ToolErrorCode.OUTCOME_UNKNOWN,
                    "the call was taken by a node that is gone; it may have had its" + " effect");
        }
        Failpoint.CALL_HEARD.reached(request.call());
        CompletableFuture<Connector.ConnectorCallResult> result = new CompletableFuture<>();
        try {
            Objects.requireNonNull(connector.callWithRetry(request.call()), "the connector returned nothing")
                    .whenComplete((got, failure) -> {
                        if (failure == null) {
                            result.complete(got);
                        } else {
                            result.completeExceptionally(failure);
                        }
                    });
            if (cancelledCalls.contains(request.call().id())) {
                connector.cancel(request.call().id()); // the cancellation arrived while the connector accepted the call
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    private static CompletionStage<Connector.ConnectorCallResult> notSent(ToolErrorCode code, String message) {
        return CompletableFuture.completedFuture(
                new Connector.ConnectorCallResult(ToolResult.failure(code, message), 0));
    }

    private static boolean isRepeatable(Connector connector, ToolName tool) {
        return connector.tools().stream()
                .anyMatch(spec -> spec.name().equals(tool) && spec.hints().isRepeatable());
    }

    private ToolResult toResult(ToolRequestMessage request, @Nullable ToolResult result, @Nullable Throwable failure) {
        if (failure != null || result == null) {
            // An exception of a connector may reveal internals: it is logged, and not shown to the script.
            LOG.log(
                    Level.WARNING,
                    "call " + request.call().id() + " of " + request.call().tool() + " failed",
                    failure);
            return isRepeatable(request.call())
                    ? ToolResult.failure(
                            ToolErrorCode.TOOL_FAILED, "'" + request.call().tool() + "' failed")
                    : ToolResult.failure(
                            ToolErrorCode.OUTCOME_UNKNOWN,
                            "'" + request.call().tool() + "' failed; it may have had its effect");
        }
        if (result instanceof ToolResult.ToolSuccess success
                && success.value().text().length() > maxResultChars) {
            return ToolResult.failure(
                    ToolErrorCode.TOO_LARGE,
                    "'" + request.call().tool() + "' returned "
                            + success.value().text().length() + " characters; at most " + maxResultChars
                            + " are allowed (setting sallyport.limits.call-result-chars)");
        }
        return result instanceof ToolResult.ToolFailure failed ? boundDetails(failed) : result;
    }

    /** Leaves out details that are longer than a result may be. */
    private ToolResult boundDetails(ToolResult.ToolFailure failed) {
        ToolError error = failed.error();
        int length = error.details().map(details -> details.text().length()).orElse(0);
        return length <= maxResultChars
                ? failed
                : ToolResult.failure(
                        error.code(),
                        error.message() + " (its details have " + length + " characters and are left out; at most "
                                + maxResultChars + " are allowed)");
    }

    private void sendHandBack(InFlightCalls.InFlightCall held, boolean begun) {
        send(held, begun ? ToolReplyMessage.HANDED_BACK_STARTED : ToolReplyMessage.HANDED_BACK);
    }

    private void sendReply(InFlightCalls.InFlightCall held, ToolReply reply) {
        send(held, new ToolReplyMessage(reply.withNode(node)).encode());
    }

    /**
     * The caller of a call that must not be repeated accepts the reply for some time after the deadline.
     *
     * @param left milliseconds until the deadline
     */
    private long timeToLive(ToolCall call, long left) {
        long grace = ToolReplyMessage.REPORT_GRACE.toMillis();
        return left >= grace || isRepeatable(call) ? Math.max(1, left) : grace;
    }

    private void send(InFlightCalls.InFlightCall held, String body) {
        // Uses the monotonic clock, which cannot be adjusted: if a reply expires in transit, the outcome of the call is
        // unknown.
        long left = timeLimit(held.request()).toMillis() - held.elapsedMillis();
        try {
            sender.send(OutgoingMessage.queue(
                    held.replyQueue(),
                    body,
                    held.correlation(),
                    null,
                    timeToLive(held.request().call(), left)));
        } catch (BrokerUnavailableException e) {
            // The call ends at the caller's deadline; the caller decides whether to repeat it.
            LOG.log(Level.WARNING, "the reply to call " + held.request().call().id() + " could not be sent", e);
        }
    }
}
