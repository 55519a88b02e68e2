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
public record AdmissionConstraints(
        Optional<Instant> notBefore,
        Optional<Duration> delay,
        Optional<Instant> deadline,
        Optional<String> concurrencyKey) {
    /** At once, whenever it has, and anything. */
    public static final AdmissionConstraints NONE =
            new AdmissionConstraints(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Not before {@code moment}. */
    public static AdmissionConstraints notBefore(Instant moment) {
        return new AdmissionConstraints(Optional.of(moment), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Not before {@code delay} has gone by. */
    public static AdmissionConstraints afterDelay(Duration delay) {
        return new AdmissionConstraints(Optional.empty(), Optional.of(delay), Optional.empty(), Optional.empty());
    }

    /** The same, over at {@code moment} at the latest. */
    public AdmissionConstraints withDeadline(Instant moment) {
        return new AdmissionConstraints(notBefore, delay, Optional.of(moment), concurrencyKey);
    }

    /** The same, in turn with others of that key, if there is one. */
    public AdmissionConstraints withConcurrencyKey(Optional<String> key) {
        return new AdmissionConstraints(notBefore, delay, deadline, key);
    }

    /** Whether it may have to wait for a time. */
    public boolean isDelayed() {
        return notBefore.isPresent() || delay.isPresent();
    }
}
