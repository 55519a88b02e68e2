package org.sallyport.connector;

import java.time.Instant;
import java.util.Optional;

/**
 * State of a backend's circuit breaker at one moment.
 *
 * @param state whether calls are sent
 * @param openedAt when the breaker opened, unless it is closed
 * @param nextProbeAt when the next call is admitted, unless the breaker is closed
 * @param lastFailure reason of the last unanswered call, if there was one
 */
public record CircuitBreakerSnapshot(
        CircuitBreakerState state,
        Optional<Instant> openedAt,
        Optional<Instant> nextProbeAt,
        Optional<String> lastFailure) {

    /** Whether calls are sent. */
    public enum CircuitBreakerState {
        /** All calls are sent. */
        CLOSED,
        /** No calls are sent until the open duration is over. */
        OPEN,
        /** The open duration is over: one probe call is sent, and its outcome decides. */
        PROBING
    }
}
