package org.sallyport.execution;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When an execution may begin, when it must have ended, and what it may not run beside.
 *
 * @param notBefore not before this moment, by the store's clock
 * @param delay not before so long after it was accepted; only with no {@code notBefore}, and of none that is stored, which has the
 *     moment that this came to
 * @param deadline at this moment it ends, by the store's clock, whatever it does or waits for
 * @param concurrencyKey of its tenant's executions with this key only so many are live at one time
 */
public record Admission(
        Optional<Instant> notBefore,
        Optional<Duration> delay,
        Optional<Instant> deadline,
        Optional<String> concurrencyKey) {
    /** At once, whenever it has, and anything. */
    public static final Admission NONE =
            new Admission(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Not before {@code moment}. */
    public static Admission notBefore(Instant moment) {
        return new Admission(Optional.of(moment), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Not before {@code delay} has gone by. */
    public static Admission after(Duration delay) {
        return new Admission(Optional.empty(), Optional.of(delay), Optional.empty(), Optional.empty());
    }

    /** The same, over at {@code moment} at the latest. */
    public Admission until(Instant moment) {
        return new Admission(notBefore, delay, Optional.of(moment), concurrencyKey);
    }

    /** The same, in turn with others of that key, if there is one. */
    public Admission keyed(Optional<String> key) {
        return new Admission(notBefore, delay, deadline, key);
    }

    /** Whether it may have to wait for a time. */
    public boolean delayed() {
        return notBefore.isPresent() || delay.isPresent();
    }
}
