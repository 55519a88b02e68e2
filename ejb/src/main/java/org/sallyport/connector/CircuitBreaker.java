package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stops sending calls to a backend for a while after a number of consecutive unanswered calls. Then one probe call is
 * sent, whose outcome closes or reopens the breaker. Thread-safe.
 */
final class CircuitBreaker {
    private final int failureThreshold;
    private final Duration openDuration;
    private final InstantSource clock;
    private int failures;
    private @Nullable Instant openedAt;
    private @Nullable Instant nextProbeAt;
    private boolean probing;
    private Optional<String> lastFailure = Optional.empty();

    CircuitBreaker(int failureThreshold, Duration pause, InstantSource clock) {
        this.failureThreshold = failureThreshold;
        this.openDuration = pause;
        this.clock = clock;
    }

    /** Whether a call may be sent now. A caller that gets true must report the outcome afterwards. */
    synchronized boolean tryAcquirePermission() {
        if (nextProbeAt == null) {
            return true;
        }
        if (probing || clock.instant().isBefore(nextProbeAt)) {
            return false;
        }
        probing = true;
        return true;
    }

    synchronized void recordSuccess() {
        failures = 0;
        openedAt = null;
        nextProbeAt = null;
        probing = false;
    }

    /** @param why reason that may be shown to users */
    synchronized void recordFailure(String why) {
        failures++;
        lastFailure = Optional.of(why);
        if (probing || failures >= failureThreshold) {
            Instant now = clock.instant();
            openedAt = openedAt == null ? now : openedAt;
            nextProbeAt = now.plus(openDuration);
        }
        probing = false;
    }

    /** An admitted call ended without information about the backend. */
    synchronized void releasePermission() {
        probing = false;
    }

    synchronized boolean isOpen() {
        return nextProbeAt != null;
    }

    /** Returns the current state. */
    synchronized CircuitBreakerSnapshot snapshot() {
        CircuitBreakerSnapshot.CircuitBreakerState state = nextProbeAt == null
                ? CircuitBreakerSnapshot.CircuitBreakerState.CLOSED
                : clock.instant().isBefore(nextProbeAt)
                        ? CircuitBreakerSnapshot.CircuitBreakerState.OPEN
                        : CircuitBreakerSnapshot.CircuitBreakerState.PROBING;
        return new CircuitBreakerSnapshot(
                state, Optional.ofNullable(openedAt), Optional.ofNullable(nextProbeAt), lastFailure);
    }
}
