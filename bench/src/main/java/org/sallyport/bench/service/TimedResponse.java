package org.sallyport.bench.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import org.sallyport.bench.measure.WrongResultException;

/**
 * A response of the service with its times.
 *
 * @param body the document; missing without a body
 * @param sentAt when sending the request began
 * @param receivedAt when the whole response was received
 * @param nanos time between both by a monotonic clock
 */
public record TimedResponse(int status, JsonNode body, Instant sentAt, Instant receivedAt, long nanos) {

    public String id() {
        return body.path("id").asText();
    }

    public String state() {
        return body.path("state").asText();
    }

    /** Returns whether the execution is in a terminal state. */
    public boolean hasEnded() {
        return switch (state()) {
            case "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT" -> true;
            default -> false;
        };
    }

    /** Returns a time of the execution, such as {@code createdAt}. */
    public Instant timestamp(String member) throws WrongResultException {
        if (!body.path(member).isTextual()) {
            throw new WrongResultException("an execution without " + member + ": " + body);
        }
        return Instant.parse(body.path(member).asText());
    }

    /** Returns the time between two times of the execution, such as {@code createdAt} and {@code startedAt}. */
    public Duration durationBetween(String from, String to) throws WrongResultException {
        return Duration.between(timestamp(from), timestamp(to));
    }

    /** Returns this response if it has the expected status. */
    public TimedResponse expectStatus(int expected) throws WrongResultException {
        if (status != expected) {
            throw new WrongResultException("status " + status + " instead of " + expected + ": " + body);
        }
        return this;
    }

    /** Returns this response if it shows an execution that has completed with the expected integer. */
    public TimedResponse expectResult(long expected) throws WrongResultException {
        JsonNode result = body.path("result");
        if (!"COMPLETED".equals(state()) || !result.isIntegralNumber() || result.asLong() != expected) {
            throw new WrongResultException("an execution did not complete with the result " + expected + ": " + body);
        }
        return this;
    }
}
