package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends a backend no calls for a while after so many in a row were not answered; then one, which decides. Thread-safe. */
final class Breaker {
    private final int most;
    private final Duration pause;
    private final InstantSource clock;
    private int failures;
    private @Nullable Instant since;
    private @Nullable Instant until;
    private boolean probing;
    private Optional<String> lastFailure = Optional.empty();

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
        since = null;
        until = null;
        probing = false;
    }

    /** @param why in words that may be shown */
    synchronized void unanswered(String why) {
        failures++;
        lastFailure = Optional.of(why);
        if (probing || failures >= most) {
            Instant now = clock.instant();
            since = since == null ? now : since;
            until = now.plus(pause);
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

    /** How it is now. */
    synchronized BreakerView view() {
        BreakerView.State state = until == null
                ? BreakerView.State.CLOSED
                : clock.instant().isBefore(until) ? BreakerView.State.OPEN : BreakerView.State.PROBING;
        return new BreakerView(state, Optional.ofNullable(since), Optional.ofNullable(until), lastFailure);
    }
}
