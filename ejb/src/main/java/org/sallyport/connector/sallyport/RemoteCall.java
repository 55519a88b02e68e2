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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sallyport.connector.BackendConnection.BackendRequest;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.HopCount;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * One call: an execution there, under an idempotency key of its own. An answer that is lost is asked for again, under the same key, until
 * nobody waits for it any more. Of one thread, but that it may be cancelled by any.
 */
final class RemoteCall {
    /** The label that names the call of which an execution there is made. */
    static final String CALL_LABEL = "sallyport.call";

    /** What the trace there calls the end of a call. */
    private static final Set<String> CALL_END_EVENTS = Set.of("tool_end", "capability_end");

    private static final int MAX_WAIT_SECONDS = 10;
    private static final long LONG_REQUEST_NANOS = 1_000_000_000;
    private static final long INITIAL_DELAY_MILLIS = 50;
    private static final long MAX_DELAY_MILLIS = 2_000;
    /** So long before its deadline a call of which nothing is known is given up, to be able to say so. */
    private static final long GIVE_UP_MARGIN_MILLIS = 250;
    /** So long before its deadline nothing more is asked. */
    private static final long LAST_REQUEST_MARGIN_MILLIS = 50;
    /** So long after its deadline a call is cancelled there, even if nobody has said that it is over. */
    private static final long CANCEL_GRACE_MILLIS = 1_000;
    /** So often it is asked without waiting there, once too many wait. */
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
    private Optional<String> executionId = Optional.empty();
    private int hops;
    private boolean maybeSent;
    private long delayMillis = INITIAL_DELAY_MILLIS;
    private long requestedAtNanos;
    private int shortPollsLeft;
    private boolean longPolled;

    /** What is known of how the other installation wants to be asked. */
    static final class RemoteApiSupport {
        private volatile boolean supportsWait = true;
        private volatile boolean supportsLimits = true;
    }

    /** @param most how long it may take there, if nobody cancels it */
    RemoteCall(
            RemoteInstallationClient there,
            RemoteTarget target,
            BackendRequest call,
            Duration most,
            RemoteApiSupport manners,
            InstantSource clock) {
        this.remote = there;
        this.target = new RemoteTarget(target.name(), target.repeatable() && call.repeatable());
        this.call = call;
        this.maxDuration = most;
        this.apiSupport = manners;
        this.clock = monotonicClock(clock);
    }

    /** A clock that nobody sets from now on. */
    private static InstantSource monotonicClock(InstantSource clock) {
        Instant now = clock.instant();
        long nanos = System.nanoTime();
        return () -> now.plusNanos(System.nanoTime() - nanos);
    }

    /** Nobody waits for it any more. */
    void cancel() {
        cancelled = true;
        stopped.countDown();
        request.abort();
    }

    /** It is not to be asked about any more. */
    void abandon() {
        abandoned = true;
        stopped.countDown();
        request.abort();
    }

    /** What was heard of it last. */
    Optional<String> lastProgress() {
        return lastProgress;
    }

    /**
     * Makes it; waits for its end.
     *
     * @param gone how often the call has gone on, this time included
     */
    ToolResult run(int gone) {
        if (!clock.instant().isBefore(call.deadline())) {
            return ToolResult.failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + target.name() + "' was not sent: its time was over before its turn came");
        }
        hops = gone;
        ToolResult result = callUntilDone();
        if (cancelled && maybeSent) {
            new RemoteCancellation(remote, call.id(), executionId).run();
        }
        return result;
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

    /** Empty when it is to be asked again. */
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
            // The same call, sent before the backend was configured anew.
            maybeSent = true;
            return Optional.of(lostResult("it was sent in another form before"));
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

    /** What is refused now may have been taken before. */
    private ToolResult refusedResult(RemoteInstallationClient.RemoteResponse answer) {
        return maybeSent ? lostResult(answer.failureReason()) : RemoteResultMapper.refusedResult(target, answer);
    }

    /** An installation may allow less time than is asked for here. */
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
            shortPollsLeft =
                    SHORT_POLLS; // too many wait, be it that nobody may: the answer itself may be had all the same
        }
        boolean passes = answer.status() == 429 || answer.status() == 408 || answer.status() >= 500;
        return passes && waitForRetry(answer.retryAfter()) ? Optional.empty() : pollOnceMore(answer.failureReason());
    }

    /** What could not be waited for may have ended long ago: that is asked once, for an answer at once. Empty when it goes on. */
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
                // What went wrong before is said.
            }
        }
        return Optional.of(lostResult(why));
    }

    private Optional<ToolResult> handleExecution(JsonNode said) {
        Optional<String> id = parseId(said);
        if (id.isEmpty() || !said.path("state").isTextual()) {
            return Optional.of(lostResult("it does not answer as an installation of Sallyport does"));
        }
        boolean news = executionId.isEmpty();
        executionId = id;
        call.onAcknowledged().run();
        String state = said.path("state").asText();
        switch (state) {
            case "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED":
                return Optional.of(RemoteResultMapper.toToolResult(
                        target, said, state.equals("FAILED") ? failureDetails(said) : Optional.empty()));
            default:
                String reason = said.path("waitingFor").path("reason").asText("");
                lastProgress = Optional.of("execution " + id.get() + " there is " + RemoteResultMapper.truncate(state)
                        + (reason.isEmpty() ? "" : " (" + RemoteResultMapper.truncate(reason) + ")"));
        }
        if (news || System.nanoTime() - requestedAtNanos > LONG_REQUEST_NANOS) {
            // It has waited for the end there, and does so again.
            delayMillis = INITIAL_DELAY_MILLIS;
        }
        if (!(news && apiSupport.supportsWait) && !waitForRetry(Optional.empty())) {
            awaitDeadline();
        }
        return Optional.empty();
    }

    /** It is known to go on there: whoever counts its time says when that is over. */
    private void awaitDeadline() {
        try {
            Duration left = Duration.between(clock.instant(), boundedDeadline().plusMillis(CANCEL_GRACE_MILLIS));
            boolean told = stopped.await(left.toMillis(), TimeUnit.MILLISECONDS);
            cancelled |= !told;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancelled = true;
        }
    }

    /** What the tool said of its failure, which only the trace has. */
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
            // What the error itself says will do.
        }
        return Optional.empty();
    }

    /**
     * The call's, but one for each tool that it may be made to: who stands in may be of the same installation. Names can be longer than a key, and
     * have characters that none has.
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
            // Not what is left of its time: whoever sends it again must say the same.
            body.putObject("limits").put("wallMillis", maxDuration.toMillis());
        }
        return body.toString();
    }

    private Instant boundedDeadline() {
        Instant farthest = clock.instant().plus(Duration.ofDays(1));
        return call.deadline().isBefore(farthest) ? call.deadline() : farthest;
    }

    /** Seconds that the other side may keep the request. */
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

    /** Waits a while, longer each time; false when there is no time left to. What goes on there is asked for once more just before that. */
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
