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
import org.sallyport.connector.LiveBackend.Call;
import org.sallyport.connector.http.Origin;
import org.sallyport.tool.Hops;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * One call: an execution there, under an idempotency key of its own. An answer that is lost is asked for again, under the same key, until
 * nobody waits for it any more. Of one thread, but that it may be cancelled by any.
 */
final class RemoteCall {
    /** The label that names the call of which an execution there is made. */
    static final String LABEL = "sallyport.call";

    /** What the trace there calls the end of a call. */
    private static final Set<String> ENDS = Set.of("tool_end", "capability_end");

    private static final int LONGEST_WAIT_SECONDS = 10;
    private static final long LONG_NANOS = 1_000_000_000;
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;
    /** So long before its deadline a call of which nothing is known is given up, to be able to say so. */
    private static final long LAST_WORD_MILLIS = 250;
    /** So long before its deadline nothing more is asked. */
    private static final long TOO_LATE_MILLIS = 50;
    /** So long after its deadline a call is cancelled there, even if nobody has said that it is over. */
    private static final long GRACE_MILLIS = 1_000;
    /** So often it is asked without waiting there, once too many wait. */
    private static final int PLAIN_ASKS = 5;

    private final There there;
    private final Target target;
    private final Call call;
    private final Duration most;
    private final Manners manners;
    private final InstantSource clock;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean cancelled;
    private volatile boolean abandoned;
    private volatile Origin.Request request = new Origin.Request();
    private volatile Optional<String> heard = Optional.empty();
    private Optional<String> execution = Optional.empty();
    private int hops;
    private boolean perhaps;
    private long pause = FIRST_PAUSE_MILLIS;
    private long asked;
    private int plain;
    private boolean waited;

    /** What is known of how the other installation wants to be asked. */
    static final class Manners {
        private volatile boolean waits = true;
        private volatile boolean takesLimits = true;
    }

    /** @param most how long it may take there, if nobody cancels it */
    RemoteCall(There there, Target target, Call call, Duration most, Manners manners, InstantSource clock) {
        this.there = there;
        this.target = new Target(target.name(), target.repeatable() && call.repeatable());
        this.call = call;
        this.most = most;
        this.manners = manners;
        this.clock = unset(clock);
    }

    /** A clock that nobody sets from now on. */
    private static InstantSource unset(InstantSource clock) {
        Instant now = clock.instant();
        long nanos = System.nanoTime();
        return () -> now.plusNanos(System.nanoTime() - nanos);
    }

    /** Nobody waits for it any more. */
    void cancel() {
        cancelled = true;
        over.countDown();
        request.abort();
    }

    /** It is not to be asked about any more. */
    void abandon() {
        abandoned = true;
        over.countDown();
        request.abort();
    }

    /** What was heard of it last. */
    Optional<String> heard() {
        return heard;
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
        ToolResult result = made();
        if (cancelled && perhaps) {
            new Withdrawal(there, call.id(), execution).run();
        }
        return result;
    }

    private ToolResult made() {
        while (!cancelled) {
            try {
                Optional<ToolResult> result = execution.isEmpty() ? submitted() : followed(execution.get());
                if (result.isPresent()) {
                    return result.get();
                }
            } catch (Origin.DeniedException e) {
                if (perhaps) {
                    return lost(String.valueOf(e.getMessage()));
                }
                return ToolResult.failure(
                        ToolErrorCode.EGRESS_DENIED, "'" + target.name() + "' was not sent: " + e.getMessage());
            } catch (Origin.TooLongException e) {
                return ToolResult.failure(ToolErrorCode.TOO_LARGE, "'" + target.name() + "': " + e.getMessage());
            } catch (IOException e) {
                perhaps |= request.sent();
                if (!perhaps) {
                    return ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE,
                            "'" + target.name() + "' was not sent: " + e.getMessage());
                }
                if (!rests(Optional.empty())) {
                    Optional<ToolResult> result = givenUp(String.valueOf(e.getMessage()));
                    if (result.isPresent()) {
                        return result.get();
                    }
                }
            }
        }
        return ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled");
    }

    private ToolResult lost(String said) {
        String why = abandoned ? "its backend was closed" : said;
        ToolErrorCode code = RemoteAnswers.lost(target);
        return ToolResult.failure(
                code,
                "the answer to '" + target.name() + "' was lost (" + why + ")"
                        + (code == ToolErrorCode.OUTCOME_UNKNOWN ? "; it may have had its effect" : ""));
    }

    /** Empty when it is to be asked again. */
    private Optional<ToolResult> submitted() throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(There.headers(call.trace()));
        headers.put("Idempotency-Key", key());
        long wait = seconds();
        if (wait > 0) {
            headers.put("Prefer", "wait=" + wait);
        }
        boolean limited = manners.takesLimits;
        There.Answer answer = there.post("/executions", headers, body(limited), renewed());
        if (answer.status() == 200 || answer.status() == 202) {
            perhaps = true;
            return told(answer.body());
        } else if (answer.status() == 400) {
            return corrected(answer, wait, limited);
        } else if (answer.status() == 422 && answer.problem().equals("idempotency-conflict")) {
            // The same call, sent before the backend was configured anew.
            perhaps = true;
            return Optional.of(lost("it was sent in another form before"));
        } else if (answer.status() == 429 && !answer.problem().equals("quota-exceeded")) {
            return rests(answer.pause()) ? Optional.empty() : Optional.of(refused(answer));
        } else if (answer.status() == 409 || answer.status() == 408 || answer.status() >= 500) {
            perhaps = true;
            return rests(answer.pause()) ? Optional.empty() : Optional.of(lost(answer.why()));
        }
        return Optional.of(refused(answer));
    }

    /** What is refused now may have been taken before. */
    private ToolResult refused(There.Answer answer) {
        return perhaps ? lost(answer.why()) : RemoteAnswers.refused(target, answer);
    }

    /** An installation may allow less time than is asked for here. */
    private Optional<ToolResult> corrected(There.Answer answer, long wait, boolean limited) {
        String member = answer.body().path("member").asText();
        if (wait > 0 && member.endsWith("wait")) {
            manners.waits = false;
            return Optional.empty();
        } else if (limited && member.endsWith("wallMillis")) {
            manners.takesLimits = false;
            return Optional.empty();
        }
        return Optional.of(refused(answer));
    }

    private Optional<ToolResult> followed(String id) throws IOException {
        long wait = seconds();
        waited = wait > 0;
        plain = Math.max(0, plain - 1);
        There.Answer answer = there.get("/executions/" + id + (waited ? "?wait=" + wait : ""), renewed());
        if (answer.status() == 200) {
            return told(answer.body());
        } else if (answer.status() == 400 && waited) {
            manners.waits = false;
            return Optional.empty();
        } else if (answer.status() == 429 && waited) {
            plain = PLAIN_ASKS; // too many wait, be it that nobody may: the answer itself may be had all the same
        }
        boolean passes = answer.status() == 429 || answer.status() == 408 || answer.status() >= 500;
        return passes && rests(answer.pause()) ? Optional.empty() : givenUp(answer.why());
    }

    /** What could not be waited for may have ended long ago: that is asked once, for an answer at once. Empty when it goes on. */
    private Optional<ToolResult> givenUp(String why) {
        Duration left = Duration.between(clock.instant(), latest().minusMillis(TOO_LATE_MILLIS));
        if (execution.isPresent() && waited && !left.isNegative() && !abandoned) {
            waited = false;
            Origin.Request last = renewed();
            try {
                There.Answer answer = There.within(left, last, () -> there.get("/executions/" + execution.get(), last));
                if (answer.status() == 200) {
                    return told(answer.body());
                }
            } catch (IOException e) {
                // What went wrong before is said.
            }
        }
        return Optional.of(lost(why));
    }

    private Optional<ToolResult> told(JsonNode said) {
        Optional<String> id = id(said);
        if (id.isEmpty() || !said.path("state").isTextual()) {
            return Optional.of(lost("it does not answer as an installation of Sallyport does"));
        }
        boolean news = execution.isEmpty();
        execution = id;
        call.taken().run();
        String state = said.path("state").asText();
        switch (state) {
            case "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED":
                return Optional.of(
                        RemoteAnswers.of(target, said, state.equals("FAILED") ? details(said) : Optional.empty()));
            default:
                String reason = said.path("waitingFor").path("reason").asText("");
                heard = Optional.of("execution " + id.get() + " there is " + RemoteAnswers.cut(state)
                        + (reason.isEmpty() ? "" : " (" + RemoteAnswers.cut(reason) + ")"));
        }
        if (news || System.nanoTime() - asked > LONG_NANOS) {
            // It has waited for the end there, and does so again.
            pause = FIRST_PAUSE_MILLIS;
        }
        if (!(news && manners.waits) && !rests(Optional.empty())) {
            runsOut();
        }
        return Optional.empty();
    }

    /** It is known to go on there: whoever counts its time says when that is over. */
    private void runsOut() {
        try {
            Duration left = Duration.between(clock.instant(), latest().plusMillis(GRACE_MILLIS));
            boolean told = over.await(left.toMillis(), TimeUnit.MILLISECONDS);
            cancelled |= !told;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancelled = true;
        }
    }

    /** What the tool said of its failure, which only the trace has. */
    private Optional<Json> details(JsonNode said) {
        long ordinal = said.path("error").path("call").asLong(0);
        if (ordinal == 0 || target.isCapability()) {
            return Optional.empty();
        }
        try {
            There.Answer trace = there.get("/executions/" + execution.orElseThrow() + "/trace", renewed());
            for (JsonNode event : trace.body().path("events")) {
                if (ENDS.contains(event.path("type").asText())
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
    private String key() {
        return call.id() + "/" + UUID.nameUUIDFromBytes(target.name().getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> id(JsonNode said) {
        try {
            return Optional.of(UUID.fromString(said.path("id").asText()).toString());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private String body(boolean limited) {
        ObjectNode body = There.JSON.createObjectNode();
        if (target.isCapability()) {
            body.put("capability", target.capability());
            body.put("version", "stable");
            body.putRawValue("args", new RawValue(call.arguments().text()));
        } else {
            ObjectNode script = There.JSON.createObjectNode().put("tool", target.name());
            script.putRawValue("arguments", new RawValue(call.arguments().text()));
            body.put("code", script.toString());
            body.putArray("grants").add(target.name());
        }
        body.putObject("labels").put(LABEL, call.id().toString()).put(Hops.LABEL, Integer.toString(hops));
        if (limited) {
            // Not what is left of its time: whoever sends it again must say the same.
            body.putObject("limits").put("wallMillis", most.toMillis());
        }
        return body.toString();
    }

    private Instant latest() {
        Instant farthest = clock.instant().plus(Duration.ofDays(1));
        return call.deadline().isBefore(farthest) ? call.deadline() : farthest;
    }

    /** Seconds that the other side may keep the request. */
    private long seconds() {
        long left = Duration.between(clock.instant(), latest()).toSeconds();
        return manners.waits && plain == 0 ? Math.max(0, Math.min(LONGEST_WAIT_SECONDS, left)) : 0;
    }

    private Origin.Request renewed() {
        Origin.Request next = new Origin.Request();
        request = next;
        asked = System.nanoTime();
        if (cancelled || abandoned) {
            next.abort();
        }
        return next;
    }

    /** Waits a while, longer each time; false when there is no time left to. What goes on there is asked for once more just before that. */
    private boolean rests(Optional<Duration> wanted) {
        long millis = wanted.map(Duration::toMillis).orElse(pause);
        pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
        long left = Duration.between(clock.instant(), latest().minusMillis(LAST_WORD_MILLIS))
                .toMillis();
        if (abandoned || left <= 0 || (millis >= left && execution.isEmpty())) {
            return false;
        }
        try {
            over.await(Math.min(millis, left), TimeUnit.MILLISECONDS);
            return !abandoned;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
