package org.sallyport.connector.sallyport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sallyport.connector.BackendConnection.BackendRequest;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.HopCount;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * One tool call, made as an execution of the remote installation under its own idempotency key. If a response is lost,
 * the call requests it again under the same key until the deadline. Runs on one thread; {@link #cancel} and
 * {@link #abandon} may be called by any thread.
 */
final class RemoteCall {
    /** Label of the remote execution; its value is the id of the call. */
    static final String CALL_LABEL = "sallyport.call";

    /** Types of the remote trace events that end a tool call. */
    private static final Set<String> CALL_END_EVENTS = Set.of("tool_end", "capability_end");

    private static final int MAX_WAIT_SECONDS = 10;
    private static final long LONG_REQUEST_NANOS = 1_000_000_000;
    private static final long INITIAL_DELAY_MILLIS = 50;
    private static final long MAX_DELAY_MILLIS = 2_000;
    /**
     * A call in an unknown state is given up this long before its deadline, so that the caller still receives the
     * error.
     */
    private static final long GIVE_UP_MARGIN_MILLIS = 250;
    /** No request is sent later than this before the deadline. */
    private static final long LAST_REQUEST_MARGIN_MILLIS = 50;
    /** A call without an end is cancelled remotely this long after its deadline. */
    private static final long CANCEL_GRACE_MILLIS = 1_000;
    /** Number of polls without a server-side wait after the remote installation reported too many waiting requests. */
    private static final int SHORT_POLLS = 5;

    private final RemoteInstallationClient remote;
    private final RemoteTarget target;
    private final BackendRequest call;
    private final Duration maxDuration;
    private final RemoteApiSupport apiSupport;
    private final InstantSource clock;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean cancelled;
    private volatile boolean abandoned;
    private volatile SingleOriginHttpClient.AbortableRequest request = new SingleOriginHttpClient.AbortableRequest();
    private volatile Optional<String> lastProgress = Optional.empty();
    /** Completes at the end of the call with whether it certainly was not accepted. */
    private final CompletableFuture<Boolean> withoutEffect = new CompletableFuture<>();

    private Optional<String> executionId = Optional.empty();
    private int hops;
    private volatile boolean maybeSent;
    private long delayMillis = INITIAL_DELAY_MILLIS;
    private long requestedAtNanos;
    private int shortPollsLeft;
    private boolean longPolled;
    /** Whether the remote execution is known to have ended. */
    private boolean ended;

    /** Optional API features that the remote installation accepts. */
    static final class RemoteApiSupport {
        private volatile boolean supportsWait = true;
        private volatile boolean supportsLimits = true;
    }

    /** @param maxDuration time limit of the remote execution */
    RemoteCall(
            RemoteInstallationClient there,
            RemoteTarget target,
            BackendRequest call,
            Duration maxDuration,
            RemoteApiSupport manners,
            InstantSource clock) {
        this.remote = there;
        this.target = new RemoteTarget(target.name(), target.repeatable() && call.repeatable());
        this.call = call;
        this.maxDuration = maxDuration;
        this.apiSupport = manners;
        this.clock = monotonicClock(clock);
    }

    /** Returns a clock that later adjustments of the system clock do not affect. */
    private static InstantSource monotonicClock(InstantSource clock) {
        Instant now = clock.instant();
        long nanos = System.nanoTime();
        return () -> now.plusNanos(System.nanoTime() - nanos);
    }

    /** Cancels the call, because its caller no longer waits. */
    void cancel() {
        cancelled = true;
        stopped.countDown();
        request.abort();
    }

    /** Cancels the call, and reports whether it certainly was not accepted, once that is known. */
    CompletionStage<Boolean> withdraw() {
        cancel();
        // Read before the flag: a later request is made only after the flag has what became of this one.
        SingleOriginHttpClient.AbortableRequest last = request;
        return !last.sent() && !maybeSent ? CompletableFuture.completedStage(true) : withoutEffect.copy();
    }

    /** Stops polling the call, because its backend is closed. */
    void abandon() {
        abandoned = true;
        stopped.countDown();
        request.abort();
    }

    /** Last known progress of the remote execution; empty if there is none. */
    Optional<String> lastProgress() {
        return lastProgress;
    }

    /**
     * Makes the call and blocks until it ends.
     *
     * @param hopCount number of hops of the call between installations, including this one
     */
    ToolResult run(int hopCount) {
        if (!clock.instant().isBefore(call.deadline())) {
            return ToolResult.failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + target.name() + "' was not sent: its deadline passed while it was queued");
        }
        hops = hopCount;
        ToolResult result = callUntilDone();
        if (cancelled && maybeSent && !ended) {
            withoutEffect.complete(false);
            new RemoteCancellation(remote, call.id(), executionId).run();
        }
        return result;
    }

    /** Called when the result is published. */
    void end() {
        withoutEffect.complete(!maybeSent);
    }

    private ToolResult callUntilDone() {
        while (!cancelled) {
            try {
                Optional<ToolResult> result = executionId.isEmpty() ? submit() : poll(executionId.get());
                if (result.isPresent()) {
                    return result.get();
                }
            } catch (SingleOriginHttpClient.RequestDeniedException e) {
                if (maybeSent) {
                    return lostResult(String.valueOf(e.getMessage()));
                }
                return ToolResult.failure(
                        ToolErrorCode.EGRESS_DENIED, "'" + target.name() + "' was not sent: " + e.getMessage());
            } catch (SingleOriginHttpClient.OriginResponseTooLongException e) {
                maybeSent = true;
                return ToolResult.failure(ToolErrorCode.TOO_LARGE, "'" + target.name() + "': " + e.getMessage());
            } catch (IOException e) {
                maybeSent |= request.sent();
                if (!maybeSent) {
                    return ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE,
                            "'" + target.name() + "' was not sent: " + e.getMessage());
                }
                if (!waitForRetry(Optional.empty())) {
                    Optional<ToolResult> result = pollOnceMore(String.valueOf(e.getMessage()));
                    if (result.isPresent()) {
                        return result.get();
                    }
                }
            }
        }
        return ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled");
    }

    private ToolResult lostResult(String said) {
        String why = abandoned ? "its backend was closed" : said;
        ToolErrorCode code = RemoteResultMapper.lostCallCode(target);
        return ToolResult.failure(
                code,
                "the answer to '" + target.name() + "' was lost (" + why + ")"
                        + (code == ToolErrorCode.OUTCOME_UNKNOWN ? "; it may have had its effect" : ""));
    }

    /** Submits the execution. Returns empty if the caller must request again. */
    private Optional<ToolResult> submit() throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(RemoteInstallationClient.traceHeaders(call.trace()));
        headers.put("Idempotency-Key", idempotencyKey());
        long wait = waitSeconds();
        if (wait > 0) {
            headers.put("Prefer", "wait=" + wait);
        }
        boolean limited = apiSupport.supportsLimits;
        RemoteInstallationClient.RemoteResponse answer =
                remote.post("/executions", headers, requestBody(limited), newRequest());
        if (answer.status() == 200 || answer.status() == 202) {
            maybeSent = true;
            return handleExecution(answer.body());
        } else if (answer.status() == 400) {
            return dropRefusedOption(answer, wait, limited);
        } else if (answer.status() == 422 && answer.problemCode().equals("idempotency-conflict")) {
            // The key belongs to the same call, sent before the backend was reconfigured.
            maybeSent = true;
            return Optional.of(lostResult("it was sent with other content before"));
        } else if (answer.status() == 429 && !answer.problemCode().equals("quota-exceeded")) {
            return waitForRetry(answer.retryAfter()) ? Optional.empty() : Optional.of(refusedResult(answer));
        } else if (answer.status() == 409 || answer.status() == 408 || answer.status() >= 500) {
            maybeSent = true;
            return waitForRetry(answer.retryAfter())
                    ? Optional.empty()
                    : Optional.of(lostResult(answer.failureReason()));
        }
        return Optional.of(refusedResult(answer));
    }

    /** A submission that is refused now may have been accepted in an earlier attempt. */
    private ToolResult refusedResult(RemoteInstallationClient.RemoteResponse answer) {
        return maybeSent ? lostResult(answer.failureReason()) : RemoteResultMapper.refusedResult(target, answer);
    }

    /**
     * Drops an option that the remote installation refuses: it may allow shorter waits or a lower time limit than
     * requested.
     */
    private Optional<ToolResult> dropRefusedOption(
            RemoteInstallationClient.RemoteResponse answer, long wait, boolean limited) {
        String member = answer.body().path("member").asText();
        if (wait > 0 && member.endsWith("wait")) {
            apiSupport.supportsWait = false;
            return Optional.empty();
        } else if (limited && member.endsWith("wallMillis")) {
            apiSupport.supportsLimits = false;
            return Optional.empty();
        }
        return Optional.of(refusedResult(answer));
    }

    private Optional<ToolResult> poll(String id) throws IOException {
        long wait = waitSeconds();
        longPolled = wait > 0;
        shortPollsLeft = Math.max(0, shortPollsLeft - 1);
        RemoteInstallationClient.RemoteResponse answer =
                remote.get("/executions/" + id + (longPolled ? "?wait=" + wait : ""), newRequest());
        if (answer.status() == 200) {
            return handleExecution(answer.body());
        } else if (answer.status() == 400 && longPolled) {
            apiSupport.supportsWait = false;
            return Optional.empty();
        } else if (answer.status() == 429 && longPolled) {
            shortPollsLeft = SHORT_POLLS; // too many requests wait there: without a wait it may still answer
        }
        boolean passes = answer.status() == 429 || answer.status() == 408 || answer.status() >= 500;
        return passes && waitForRetry(answer.retryAfter()) ? Optional.empty() : pollOnceMore(answer.failureReason());
    }

    /**
     * Polls once without a server-side wait: an execution that could not be waited for may have ended long ago. Returns
     * empty if the execution is still running.
     */
    private Optional<ToolResult> pollOnceMore(String why) {
        Duration left = Duration.between(clock.instant(), boundedDeadline().minusMillis(LAST_REQUEST_MARGIN_MILLIS));
        if (executionId.isPresent() && longPolled && !left.isNegative() && !abandoned) {
            longPolled = false;
            SingleOriginHttpClient.AbortableRequest last = newRequest();
            try {
                RemoteInstallationClient.RemoteResponse answer = RemoteInstallationClient.withTimeout(
                        left, last, () -> remote.get("/executions/" + executionId.get(), last));
                if (answer.status() == 200) {
                    return handleExecution(answer.body());
                }
            } catch (IOException e) {
                // The earlier error is reported instead.
            }
        }
        return Optional.of(lostResult(why));
    }

    private Optional<ToolResult> handleExecution(JsonNode said) {
        Optional<String> id = parseId(said);
        if (id.isEmpty() || !said.path("state").isTextual()) {
            return Optional.of(lostResult("it does not answer like a Sallyport installation"));
        }
        boolean news = executionId.isEmpty();
        executionId = id;
        call.onAcknowledged().run();
        String state = said.path("state").asText();
        switch (state) {
            case "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED":
                ended = true;
                return Optional.of(RemoteResultMapper.toToolResult(
                        target, said, state.equals("FAILED") ? failureDetails(said) : Optional.empty()));
            default:
                String reason = said.path("waitingFor").path("reason").asText("");
                lastProgress = Optional.of("remote execution " + id.get() + " is " + RemoteResultMapper.truncate(state)
                        + (reason.isEmpty() ? "" : " (" + RemoteResultMapper.truncate(reason) + ")"));
        }
        if (news || System.nanoTime() - requestedAtNanos > LONG_REQUEST_NANOS) {
            // The remote installation supports the wait and waits again on the next request.
            delayMillis = INITIAL_DELAY_MILLIS;
        }
        if (!(news && apiSupport.supportsWait) && !waitForRetry(Optional.empty())) {
            awaitDeadline();
        }
        return Optional.empty();
    }

    /**
     * The execution is known to be running. The owner of the timeout ends the call; it cancels itself only after a
     * grace period.
     */
    private void awaitDeadline() {
        try {
            Duration left = Duration.between(clock.instant(), boundedDeadline().plusMillis(CANCEL_GRACE_MILLIS));
            boolean stoppedInTime = stopped.await(left.toMillis(), TimeUnit.MILLISECONDS);
            cancelled |= !stoppedInTime;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancelled = true;
        }
    }

    /** Details of the tool's failure, which only the remote trace contains; empty if they are unavailable. */
    private Optional<Json> failureDetails(JsonNode said) {
        long ordinal = said.path("error").path("call").asLong(0);
        if (ordinal == 0 || target.isCapability()) {
            return Optional.empty();
        }
        try {
            RemoteInstallationClient.RemoteResponse trace =
                    remote.get("/executions/" + executionId.orElseThrow() + "/trace", newRequest());
            for (JsonNode event : trace.body().path("events")) {
                if (CALL_END_EVENTS.contains(event.path("type").asText())
                        && event.path("call").asLong() == ordinal
                        && event.path("error").has("details")) {
                    return Optional.of(
                            new Json(event.path("error").path("details").toString()));
                }
            }
        } catch (IOException e) {
            // The error without details is sufficient.
        }
        return Optional.empty();
    }

    /**
     * The id of the call plus a hash of the target tool: a fallback backend may belong to the same installation and
     * needs another key. The tool name is hashed because it can be longer than a key and contain characters that a key
     * must not have.
     */
    private String idempotencyKey() {
        return call.id() + "/" + UUID.nameUUIDFromBytes(target.name().getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> parseId(JsonNode said) {
        try {
            return Optional.of(UUID.fromString(said.path("id").asText()).toString());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private String requestBody(boolean limited) {
        ObjectNode body = RemoteInstallationClient.JSON.createObjectNode();
        if (target.isCapability()) {
            body.put("capability", target.capabilityName());
            body.put("version", "stable");
            body.putRawValue("args", new RawValue(call.arguments().text()));
        } else {
            ObjectNode script = RemoteInstallationClient.JSON.createObjectNode().put("tool", target.name());
            script.putRawValue("arguments", new RawValue(call.arguments().text()));
            body.put("code", script.toString());
            body.putArray("grants").add(target.name());
        }
        body.putObject("labels").put(CALL_LABEL, call.id().toString()).put(HopCount.LABEL, Integer.toString(hops));
        if (limited) {
            // The full limit and not the remaining time: a repeated request must have the same body.
            body.putObject("limits").put("wallMillis", maxDuration.toMillis());
        }
        return body.toString();
    }

    private Instant boundedDeadline() {
        Instant farthest = clock.instant().plus(Duration.ofDays(1));
        return call.deadline().isBefore(farthest) ? call.deadline() : farthest;
    }

    /** Number of seconds that the remote installation may hold the request. */
    private long waitSeconds() {
        long left = Duration.between(clock.instant(), boundedDeadline()).toSeconds();
        return apiSupport.supportsWait && shortPollsLeft == 0 ? Math.max(0, Math.min(MAX_WAIT_SECONDS, left)) : 0;
    }

    private SingleOriginHttpClient.AbortableRequest newRequest() {
        SingleOriginHttpClient.AbortableRequest next = new SingleOriginHttpClient.AbortableRequest();
        request = next;
        requestedAtNanos = System.nanoTime();
        if (cancelled || abandoned) {
            next.abort();
        }
        return next;
    }

    /**
     * Waits with exponential backoff; returns false if no time is left. For a running execution the delay is shortened,
     * so that one more request is sent before the margin.
     */
    private boolean waitForRetry(Optional<Duration> wanted) {
        long millis = wanted.map(Duration::toMillis).orElse(delayMillis);
        delayMillis = Math.min(MAX_DELAY_MILLIS, delayMillis * 2);
        long left = Duration.between(clock.instant(), boundedDeadline().minusMillis(GIVE_UP_MARGIN_MILLIS))
                .toMillis();
        if (abandoned || left <= 0 || (millis >= left && executionId.isEmpty())) {
            return false;
        }
        try {
            stopped.await(Math.min(millis, left), TimeUnit.MILLISECONDS);
            return !abandoned;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
