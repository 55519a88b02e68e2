package org.sallyport.connector;

import java.time.Instant;
import java.util.Optional;

/**
 * A backend's breaker as it is now.
 *
 * @param state whether calls are sent
 * @param openedAt when it opened, unless it is closed
 * @param nextProbeAt when the next call is let through, unless it is closed
 * @param lastFailure what was said of the last call that was not answered, if there was one
 */
public record CircuitBreakerSnapshot(
        CircuitBreakerState state,
        Optional<Instant> openedAt,
        Optional<Instant> nextProbeAt,
        Optional<String> lastFailure) {

    /** Whether calls are sent. */
    public enum CircuitBreakerState {
        /** All are. */
        CLOSED,
        /** None is, for a while. */
        OPEN,
        /** The while is over: one is, and decides. */
        PROBING
    }
}
