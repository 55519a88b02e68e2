package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Sends a backend no calls for a while after so many in a row were not answered; then one, which decides. Thread-safe. */
final class Breaker {
    private final int most;
    private final Duration pause;
    private final InstantSource clock;
    private int failures;
    private @Nullable Instant until;
    private boolean probing;

    Breaker(int most, Duration pause, InstantSource clock) {
        this.most = most;
        this.pause = pause;
        this.clock = clock;
    }

    /** Whether a call may be sent now; who is let through says afterwards how it went. */
    synchronized boolean allows() {
        if (until == null) {
            return true;
        }
        if (probing || clock.instant().isBefore(until)) {
            return false;
        }
        probing = true;
        return true;
    }

    synchronized void answered() {
        failures = 0;
        until = null;
        probing = false;
    }

    synchronized void unanswered() {
        failures++;
        if (probing || failures >= most) {
            until = clock.instant().plus(pause);
        }
        probing = false;
    }

    /** A call that was let through says nothing of the backend. */
    synchronized void unknown() {
        probing = false;
    }

    synchronized boolean open() {
        return until != null;
    }
}
