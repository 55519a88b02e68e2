package org.sallyport.connector;

import java.time.Instant;
import java.util.Optional;

/**
 * A backend's breaker as it is now.
 *
 * @param state whether calls are sent
 * @param since when it opened, unless it is closed
 * @param until when the next call is let through, unless it is closed
 * @param lastFailure what was said of the last call that was not answered, if there was one
 */
public record BreakerView(State state, Optional<Instant> since, Optional<Instant> until, Optional<String> lastFailure) {

    /** Whether calls are sent. */
    public enum State {
        /** All are. */
        CLOSED,
        /** None is, for a while. */
        OPEN,
        /** The while is over: one is, and decides. */
        PROBING
    }
}
